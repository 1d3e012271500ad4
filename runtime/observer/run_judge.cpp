#include "runtime/observer/run_judge.hpp"

#include <algorithm>
#include <cmath>

namespace hearsay {

namespace {

/// A loss this many times its first value has diverged, though it be a number still. A first value below 1
/// counts as 1: a run that begins at the answer may leave it.
constexpr double diverged_growth = 1e6;

bool has_diverged(double loss, double first) {
  return !std::isfinite(loss) || loss > diverged_growth * std::max(1.0, std::abs(first));
}

}  // namespace

bool RunJudge::proceeds_after(const Evaluation& evaluation) {
  if (!first_loss_) first_loss_ = evaluation.loss;
  if (has_diverged(evaluation.loss, *first_loss_)) {
    if (!diverged_) diverged_ = evaluation;
    return false;
  }
  if (rules_.target_loss && !target_ && evaluation.loss <= *rules_.target_loss) target_ = evaluation;
  count_improvement(evaluation);
  return !target_ && !diverged_ && !plateau_;
}

bool RunJudge::is_better(const Evaluation& one, const Evaluation& other) const {
  if (figure_of(one) != figure_of(other)) return figure_of(one) < figure_of(other);
  return one.loss < other.loss;
}

double RunJudge::figure_of(const Evaluation& evaluation) const {
  return best_by_ == BestBy::accuracy ? -evaluation.accuracy.value_or(0.0) : evaluation.loss;
}

void RunJudge::count_improvement(const Evaluation& evaluation) {
  if (plateau_) return;  // one more evaluation comes before the run ends
  const double figure = figure_of(evaluation);
  if (!leader_ || figure < figure_of(*leader_) - rules_.min_improvement * std::abs(figure_of(*leader_))) {
    leader_ = evaluation;
    since_leader_ = 0;
    return;
  }
  ++since_leader_;
  if (rules_.patience && since_leader_ >= *rules_.patience) plateau_ = evaluation;
}

std::string RunJudge::plateau_text() const {
  return std::string(best_by_ == BestBy::accuracy ? "the accuracy" : "the loss") + " got no better in " +
         std::to_string(*rules_.patience) + (*rules_.patience == 1 ? " evaluation" : " evaluations") +
         " after iteration " + std::to_string(leader_->iteration);
}

void RunJudge::conclude(RunResult& result) const {
  result.target = target_;
  if (diverged_) {
    result.status = RunStatus::diverged;
    result.reason =
        (std::isfinite(diverged_->loss) ? "the loss grew to more than a million times its first value"
                                        : "the loss left the finite range") +
        (" by iteration " + std::to_string(diverged_->iteration));
  } else if (target_) {
    result.status = RunStatus::target;
  } else if (plateau_) {
    result.status = RunStatus::plateau;
    result.reason = plateau_text();
  } else {
    result.status = RunStatus::done;
  }
}

void note_first_divergence(const std::vector<PeerOutcome>& peers, RunResult& result) {
  const Divergence* first = nullptr;
  const auto precedes = [](const Divergence& one, const Divergence& other) {
    return one.at_source != other.at_source ? one.at_source : one.iteration < other.iteration;
  };
  for (PeerId id = 0; id < peers.size(); ++id) {
    const std::optional<Divergence>& divergence = peers[id].divergence;
    if (!divergence || (first && !precedes(*divergence, *first))) continue;
    first = &*divergence;
    result.status = divergence->malformed ? RunStatus::lost : RunStatus::diverged;
    result.reason = first->what + " (peer " + std::to_string(id) + ", iteration " +
                    std::to_string(first->iteration) + ")";
  }
}

}  // namespace hearsay
