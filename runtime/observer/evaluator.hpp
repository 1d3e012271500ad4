#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/objectives/local_score.hpp"
#include "runtime/record/outcome.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The answer to an evaluation.
struct Verdict {
  std::uint64_t evaluated;  ///< the iteration of the evaluation
  bool proceed;             ///< beyond iteration evaluated + evaluate_every; false: the peers stop after it
};

/// What every peer that counts is asked while the data are at home: its own score of a mean model.
struct Question {
  std::uint64_t iteration;           ///< of the evaluation
  std::span<const std::byte> model;  ///< the scalars of the mean model; valid until the next call
};

/// Evaluates models, whatever their scalar type: the interface of Observer that the session of the observer
/// uses.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Evaluates x_0 and returns the verdict; nothing if the peers must be asked for it. Call this or `resume`,
  /// once, first.
  virtual std::optional<Verdict> begin() = 0;
  /// Continues a run whose evaluations so far are `record`, with x_0. Returns the verdicts on them. `kept` is
  /// the best model so far, if the run keeps it.
  virtual std::vector<Verdict> resume(const std::vector<Evaluation>& record,
                                      const std::optional<KeptModel>& kept) = 0;

  /// Peer `peer` has ended iteration `iteration`; `payload` is that of the evaluation frame, with its meters
  /// and model. Returns the verdict, or an empty list if models of other peers are missing. Returns nothing
  /// and changes nothing if the payload is malformed.
  virtual std::optional<std::vector<Verdict>> take_payload(PeerId peer, std::uint64_t iteration,
                                                           std::span<const std::byte> payload) = 0;

  /// Returns the questions that some peer has not answered, in the order of their iterations. Empty unless
  /// the data are at home.
  virtual std::vector<Question> questions() const = 0;
  /// True if peer `peer` still has to answer the question on `iteration`.
  virtual bool owes_answer(PeerId peer, std::uint64_t iteration) const = 0;
  /// Peer `peer` answers the question on `iteration`. Returns the verdicts that this completes, in order.
  /// Ignores an answer that is not owed.
  virtual std::vector<Verdict> answer(PeerId peer, std::uint64_t iteration, const LocalScore& score) = 0;

  /// Peer `peer` is gone. Evaluations are made without it from now on, also those that wait for it. Returns
  /// the verdicts on those that are complete now, in order. It owes no answers any more.
  virtual std::vector<Verdict> drop(PeerId peer) = 0;
  /// Peer `peer` is back. Evaluations from the one at `iteration` on include it.
  virtual void take_back(PeerId peer, std::uint64_t iteration) = 0;
  /// The same for a new peer in its place. The meters of the new peer begin at 0; those of the earlier one
  /// are added to them.
  virtual void take_in(PeerId peer, std::uint64_t iteration) = 0;

  virtual const std::vector<Evaluation>& evaluations() const = 0;
  /// The meters of the newest evaluation of each peer, by id.
  virtual const std::vector<PeerMeters>& last_meters() const = 0;
  /// The size of a model in an evaluation frame, in bytes.
  virtual std::size_t model_bytes() const = 0;

  /// Returns the iteration of the best evaluation so far; empty under run.keep = "last".
  virtual std::optional<std::uint64_t> best_iteration() const = 0;
  /// Returns a copy of its mean model. There must be one.
  virtual KeptModel best() const = 0;

  /// Returns the models that the run keeps of the evaluations since the last call, in order.
  virtual std::vector<ModelSet> take_models_to_keep() = 0;

  /// Returns the result of a run whose peers have ended as `peers` say. The status is diverged if a peer or
  /// the loss diverged (lost, if the first peer to end so had received a malformed message), else target,
  /// plateau or done. The caller adds `seconds`, and overrides the status if the run was interrupted or a
  /// peer was lost.
  virtual RunResult conclude(std::vector<PeerOutcome> peers) const = 0;
};

}  // namespace hearsay
