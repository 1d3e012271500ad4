#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/record/outcome.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The answer to an evaluation: whether the peers go on beyond iteration evaluated + evaluate_every.
struct Verdict {
  std::uint64_t evaluated;
  bool go_on;
};

/// What the observer's session needs of the evaluation of models, whatever their scalar (observer.hpp).
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Evaluates x_0, before anything has happened. To be called once, first.
  virtual Verdict begin() = 0;
  /// Or takes up a run of which `record` is known already, x_0 included. Returns the verdicts on it.
  virtual std::vector<Verdict> resume(const std::vector<Evaluation>& record) = 0;

  /// Peer `peer` has ended iteration `iteration` with the model and the meters of the payload of an
  /// evaluation frame. Returns the verdict if no other model was missing, and nothing, having changed
  /// nothing, if the payload is malformed.
  virtual std::optional<std::vector<Verdict>> take_payload(PeerId peer, std::uint64_t iteration,
                                                           std::span<const std::byte> payload) = 0;

  /// Peer `peer` is gone: evaluations are of the others from now on, those that wait for it included.
  /// Returns the verdicts on those that are complete without it, in order.
  virtual std::vector<Verdict> drop(PeerId peer) = 0;
  /// Peer `peer` is back: evaluations from that at `iteration` on are of it, too.
  virtual void take_back(PeerId peer, std::uint64_t iteration) = 0;
  /// The same of a new peer in its place, whose meters begin at 0: what the earlier one did still counts.
  virtual void take_in(PeerId peer, std::uint64_t iteration) = 0;

  virtual const std::vector<Evaluation>& evaluations() const = 0;
  /// What peer `peer` said last that it has done.
  virtual const PeerMeters& last_meters(PeerId peer) const = 0;
  /// Bytes of a model in an evaluation frame.
  virtual std::size_t model_bytes() const = 0;

  /// The result of a run whose peers have ended as `peers` say: diverged if one of them or the loss did,
  /// else at its target or done. The driver adds `seconds`, and overrides the status if the run was
  /// interrupted or a peer lost.
  virtual RunResult conclude(std::vector<PeerOutcome> peers) const = 0;
};

}  // namespace hearsay
