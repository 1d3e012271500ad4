#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "runtime/peer/inbox.hpp"
#include "runtime/session/events.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

// Work that a participant wants done, one piece at a time. It takes time, or needs files, so the driver does
// it, and tells the participant when it is done.

/// Load the checkpoint of `iteration`, or, if empty, the newest one and the log after it. Done: `restored`.
struct RestorePeer {
  std::optional<std::uint64_t> iteration;
};
/// Call Peer::compute_gradient, in any thread. Done: `gradient_arrived`.
struct ComputeGradient {
  double amount;  ///< in gradients of a minibatch: more than 1 for a full gradient
};
/// Save the peer, which stays as it is meanwhile, with the state of its session. Done: `checkpoint_taken`.
struct TakeCheckpoint {
  SessionState session;
};
/// Put into bytes how the peer stands after `iteration` (evaluation_payload.hpp). Done: `evaluation_made`.
struct MakeEvaluation {
  std::uint64_t iteration;
};
/// Compute the score of a model at this peer's data (score.hpp). Done: `scored`.
struct ComputeScore {
  ScoreAsked question;
};
/// Put into bytes what the peer has done in the run (peer_outcome.hpp). Done: `result_made`.
struct MakeResult {};
/// Write the peer's model to a file of its own: no observer keeps it. Done: `model_kept`.
struct KeepModel {};

using Work = std::variant<RestorePeer, ComputeGradient, TakeCheckpoint, MakeEvaluation, ComputeScore,
                          MakeResult, KeepModel>;

}  // namespace hearsay
