#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/foundation/announced.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// Knows which evaluation each peer sends next, and the verdicts so far.
class EvaluationSchedule {
 public:
  /// Evaluates x_0 if `earlier` has no evaluations; else continues that run. `input` and `evaluator` must
  /// outlive the schedule.
  EvaluationSchedule(const ObserverInput& input, Evaluator& evaluator, RunRecord earlier);

  /// All peers resume from the checkpoint at `iteration`. Drops the evaluations at that iteration and later
  /// ones from the record, except that of x_0: the peers send them again.
  void resume_from(std::uint64_t iteration);
  /// Peer `id` has the verdicts up to evaluation `last`, or none.
  void note_verdicts_known(PeerId id, std::optional<std::uint64_t> last) { peers_[id].last_verdict = last; }
  /// If the record has lost its end: skips the evaluations that are missing in the record and that a peer
  /// knows the verdicts on. They are not made again (`lost_evaluations`). If evaluations are a time apart,
  /// only the record tells when they are: then this returns why the run cannot go on.
  std::optional<std::string> bridge_lost_evaluations();

  /// Takes in an evaluation frame. Returns the verdicts that it completes. Ignores an evaluation out of turn.
  std::vector<Verdict> take(const FrameHeader& header, std::span<const std::byte> payload);

  /// The open questions, as Evaluator::questions says.
  std::vector<Question> questions() const { return evaluator_.questions(); }
  bool owes_answer(PeerId id, std::uint64_t iteration) const { return evaluator_.owes_answer(id, iteration); }
  /// Takes in an answer. Returns the verdicts that it completes.
  std::vector<Verdict> take_answer(PeerId id, std::uint64_t iteration, const LocalScore& score);

  /// Evaluations are made without peer `id` from now on. Returns the verdicts on those that waited only for
  /// that peer.
  std::vector<Verdict> drop(PeerId id);
  /// Returns the first evaluation of a peer that comes (back) into the run and whose next iteration is
  /// `next_iteration`: one that neither this peer has passed nor the observer has made. Returns nothing if
  /// there is no such evaluation.
  std::optional<std::uint64_t> first_evaluation_from(std::uint64_t next_iteration) const;
  /// Peer `id` is back. Its first evaluation is the one at `iteration`. Returns a verdict if the evaluations
  /// before it would be made by nobody.
  std::vector<Verdict> take_back(PeerId id, std::uint64_t iteration);
  /// The same for a new peer in the place of peer `id`.
  std::vector<Verdict> take_in(PeerId id, std::uint64_t iteration);

  /// The iteration of the newest evaluation of peer `id`.
  std::uint64_t evaluated(PeerId id) const { return peers_[id].evaluated; }
  /// True if peer `id`, which has ended after `iterations`, has sent all evaluations up to there.
  bool has_sent_all(PeerId id, std::uint64_t iterations) const;

  /// The iteration of the last evaluation with a verdict; empty if there is none yet.
  std::optional<std::uint64_t> last_judged() const {
    return verdicts_.empty() ? std::nullopt : std::optional(verdicts_.back().evaluated);
  }
  /// Returns the last verdicts, at most `most`, oldest first.
  std::span<const Verdict> last_verdicts(std::size_t most) const;
  /// What the verdict on the evaluation at `evaluated` announces.
  Announced announced_with(std::uint64_t evaluated) const;
  const std::vector<Evaluation>& evaluations() const { return evaluator_.evaluations(); }
  /// What came from the record of the run that is resumed; empty if none is.
  const RunRecord& record() const { return earlier_; }
  /// The seconds of the resumed run at its checkpoint, as far as its record knows them: those of the last
  /// evaluation up to there. (The one at the checkpoint is made again, with the time at which it was made.)
  double seconds_before() const { return seconds_before_; }
  /// The number of evaluations that came from the record; 0 if the run was not resumed.
  std::size_t recorded() const { return earlier_.evaluations.size(); }
  /// The evaluations after the first iteration, up to and including the second, are missing in the record of
  /// the resumed run. Nothing if none is missing.
  const std::optional<std::pair<std::uint64_t, std::uint64_t>>& lost_evaluations() const {
    return lost_evaluations_;
  }

 private:
  struct Peer {
    bool counts = true;  // if evaluations wait for its model
    std::uint64_t evaluated = 0;
    std::optional<std::uint64_t> last_verdict = {};  // the newest verdict that it knows
  };
  std::vector<Verdict> noted(std::vector<Verdict> verdicts);
  std::optional<Verdict> bridge_unmade_evaluations();
  std::uint64_t all_have_evaluated() const;
  std::optional<std::uint64_t> after(std::uint64_t evaluated) const;
  std::uint64_t last_evaluation_up_to(std::uint64_t iteration) const;
  void pass(std::uint64_t iteration);
  void enter(PeerId id, std::uint64_t iteration);

  const ObserverInput& input_;
  Evaluator& evaluator_;
  RunRecord earlier_;  // of a resumed run, from before
  double seconds_before_ = 0.0;
  std::vector<Verdict> verdicts_;  // oldest first; none until the peers have answered the question on x_0
  std::vector<Peer> peers_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> lost_evaluations_;
};

}  // namespace hearsay
