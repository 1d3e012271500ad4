#pragma once

#include <cstdint>
#include <optional>

#include "runtime/foundation/announced.hpp"
#include "runtime/peer/evaluation_times.hpp"

namespace hearsay {

/// What a peer waits for: the call that its driver has to make.
enum class PeerState {
  idle,             ///< start()
  checkpoint_due,   ///< save the peer, if it is to be saved (peer_image.hpp), then checkpoint_taken()
  evaluation_due,   ///< take a snapshot of model(), then evaluation_taken()
  needs_gradient,   ///< compute_gradient(), then, when its time is over, gradient_arrived()
  needs_messages,   ///< deliver(...), as messages come
  needs_verdict,    ///< verdict(...), when it comes
  needs_agreement,  ///< attach(...) or withdraw(...), for an edge that was offered, or that to a lost hub
  needs_copies,     ///< deliver(...): the hub that this standby keeps ready is an iteration behind
  finished,
  diverged,
};

/// What a peer knows of the observer's verdicts.
struct KnownVerdicts {
  EvaluationTimes evaluations;
  std::optional<std::uint64_t> last = {};        ///< the newest evaluation whose verdict has come
  std::optional<std::uint64_t> stop_after = {};  ///< the iteration after which the run ends early
  std::uint64_t checkpoint_every = 0;            ///< iterations between two checkpoints; 0: not announced
  bool awaited = true;  ///< false: there is no observer, and the peer goes on without one

  void hear(std::uint64_t evaluated, bool proceed, const Announced& announced) {
    last = evaluated;
    if (announced.checkpoint_every != 0) checkpoint_every = announced.checkpoint_every;
    evaluations.hear(evaluated, announced);
    if (!proceed && !stop_after) stop_after = evaluations.after(evaluated);
  }
};

/// What becomes of the messages for later iterations that a saved peer had received.
enum class InboxOnRestore {
  keep,  ///< this peer alone is restored: its neighbors will not send them again
  /// All peers are restored, at one iteration: the neighbors will send them again. This peer, too, once
  /// started, sends its messages of the last `staleness` iterations again.
  drop,
};

template <class Scalar>
class Peer;

}  // namespace hearsay
