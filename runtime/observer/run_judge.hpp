#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/record/outcome.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// What makes one evaluation better than another.
enum class BestBy {
  loss,      ///< a lower loss
  accuracy,  ///< a higher accuracy on the test data; of two equal ones, a lower loss
};

/// Judges the evaluations of a run in order: whether the run goes on, and why it ends. Pure.
class RunJudge {
 public:
  RunJudge(const RunSettings::Run& rules, BestBy best_by) : rules_(rules), best_by_(best_by) {}

  /// Returns whether the run goes on after this evaluation.
  bool proceeds_after(const Evaluation& evaluation);
  /// True if `one` is better than `other`.
  bool is_better(const Evaluation& one, const Evaluation& other) const;

  /// The evaluation that reached the target loss, if one did.
  const std::optional<Evaluation>& target() const { return target_; }
  /// The first evaluation whose loss was not finite, or more than 1e6 times its first value (1 at least), if
  /// there is one.
  const std::optional<Evaluation>& diverged() const { return diverged_; }

  /// Adds to `result` how the run ends, by its evaluations alone: status, reason, target.
  void conclude(RunResult& result) const;

 private:
  /// What a better evaluation has less of.
  double figure_of(const Evaluation& evaluation) const;
  void count_improvement(const Evaluation& evaluation);
  std::string plateau_text() const;

  RunSettings::Run rules_;
  BestBy best_by_;
  std::optional<double> first_loss_;
  std::optional<Evaluation> target_;
  std::optional<Evaluation> diverged_;
  std::optional<Evaluation> leader_;   // the last one that was better by run.min_improvement
  std::uint64_t since_leader_ = 0;     // evaluations after it
  std::optional<Evaluation> plateau_;  // the evaluation at which run.patience was over
};

/// If peers have diverged: notes the divergence with the lowest iteration as the end of the run, of those at
/// a source if there are any, since the others have heard of it.
void note_first_divergence(const std::vector<PeerOutcome>& peers, RunResult& result);

}  // namespace hearsay
