#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// Which evaluation each peer sends next, and the verdicts so far.
class EvaluationSchedule {
 public:
  /// Evaluates x_0, or takes up the run whose evaluations so far are `record`. `input` and `evaluator`
  /// must outlive the schedule.
  EvaluationSchedule(const ObserverInput& input, Evaluator& evaluator, std::vector<Evaluation> record);

  /// All peers resume from the checkpoint at `iteration`, and will send again what they sent behind it.
  void resume_from(std::uint64_t iteration);
  /// The newest verdict that the process of peer `id` knows is that on evaluation `last`.
  void note_verdicts_known(PeerId id, std::optional<std::uint64_t> last) { peers_[id].last_verdict = last; }
  /// The peers have passed evaluations of which the record, whose end was lost, knows nothing. Those are
  /// not taken again.
  void bridge_lost_evaluations();

  /// Returns the verdicts that an evaluation frame completes. An evaluation out of turn changes nothing.
  std::vector<Verdict> take(const FrameHeader& header, std::span<const std::byte> payload);

  /// Evaluations are without peer `id` from now on. Returns the verdicts on those that only waited for
  /// that peer.
  std::vector<Verdict> drop(PeerId id);
  /// The first evaluation of a peer that comes in and whose next iteration is `next_iteration`: one that
  /// neither that peer nor the others have ended yet. Nothing if there is none.
  std::optional<std::uint64_t> first_evaluation_from(std::uint64_t next_iteration) const;
  /// Peer `id` is back, and its first evaluation is the one at `iteration`.
  void take_back(PeerId id, std::uint64_t iteration);
  /// The same of a new peer in its place.
  void take_in(PeerId id, std::uint64_t iteration);

  /// The newest evaluation of peer `id`.
  std::uint64_t evaluated(PeerId id) const { return peers_[id].evaluated; }
  /// Whether peer `id`, which has ended after `iterations`, has sent all evaluations on its way there.
  bool has_sent_all(PeerId id, std::uint64_t iterations) const;

  const Verdict& last_verdict() const { return verdicts_.back(); }
  /// The last `most` verdicts at most, in order.
  std::span<const Verdict> last_verdicts(std::size_t most) const;
  const std::vector<Evaluation>& evaluations() const { return evaluator_.evaluations(); }
  /// The number of them that were known before, of a run that is taken up.
  std::size_t recorded() const { return record_.size(); }
  /// Evaluations behind the first iteration, up to the second, are not in the record of the run that is
  /// taken up.
  const std::optional<std::pair<std::uint64_t, std::uint64_t>>& lost_evaluations() const {
    return lost_evaluations_;
  }

 private:
  struct Peer {
    bool counts = true;  // evaluations wait for its model
    std::uint64_t evaluated = 0;
    std::optional<std::uint64_t> last_verdict = {};  // the newest that it knows
  };
  std::uint64_t all_have_evaluated() const;
  void pass(std::uint64_t iteration);
  void enter(PeerId id, std::uint64_t iteration);

  const ObserverInput& input_;
  Evaluator& evaluator_;
  std::vector<Evaluation> record_;  // from before, of a run that is taken up
  std::vector<Verdict> verdicts_;   // so far
  std::vector<Peer> peers_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> lost_evaluations_;
};

}  // namespace hearsay
