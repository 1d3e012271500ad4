#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "tools/advise/genqsgd_plan.hpp"

namespace hearsay::gen_qsgd {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Workers for which K_n costs and does the same.
struct WorkerClass {
  double count = 0.0;
  double seconds_per_sample = 0.0;
  double joules_per_sample = 0.0;
  double q = 0.0;  ///< q_n, of both directions
};

/// The sums over all workers that depend on K_n.
struct StepTotals {
  double sum = 0.0;                 ///< S
  double weighted_squares = 0.0;    ///< sum_n q_n K_n^2
  double most = 0.0;                ///< max_n K_n
  double seconds_per_sample = 0.0;  ///< max_n C_n K_n / F_n
  double joules_per_sample = 0.0;   ///< sum_n alpha C_n F_n^2 K_n
};

/// A problem with alike workers taken together, and its closed forms. Numbers of steps are one per class.
/// With a = c2 max_n K_n^2, b = c3 / B + e, e = c4 (sum_n q_n K_n^2) / S, the bound is
///
///     c1 / (gamma K_0 S) + a gamma^2 + b gamma
class Classes {
 public:
  explicit Classes(const PlanProblem& problem);

  const std::vector<WorkerClass>& all() const { return classes_; }
  std::vector<double> to_workers(const std::vector<double>& steps) const;
  StepTotals totals(const std::vector<double>& steps) const;

  double seconds(const StepTotals& totals, double rounds, double batch) const;
  double energy(const StepTotals& totals, double rounds, double batch) const;
  double objective(const StepTotals& totals, double rounds, double batch) const;

  /// The least real K_0 that keeps C_max, with the best gamma: that of the largest C_max gamma - b gamma^2 -
  /// a gamma^3. `step_size` receives that gamma.
  double least_rounds(const StepTotals& totals, double batch, double& step_size) const;
  /// The least real B, at least 1, that keeps C_max, with the best gamma: where a gamma^3 + C_max gamma =
  /// 2 c1 / (K_0 S), or 1 / L. Infinite if there is none.
  double least_batch(const StepTotals& totals, double rounds) const;
  /// The gamma of the least bound: where 2 a gamma^3 + b gamma^2 = c1 / (K_0 S), or 1 / L.
  double best_step_size(const StepTotals& totals, double rounds, double batch) const;

  const PlanProblem& problem() const { return problem_; }
  double c1() const { return c1_; }
  double c2() const { return c2_; }
  double c3() const { return c3_; }
  double c4() const { return c4_; }
  double round_seconds() const { return round_seconds_; }  ///< what no choice changes
  double round_joules() const { return round_joules_; }

 private:
  const PlanProblem& problem_;
  std::vector<WorkerClass> classes_;
  std::vector<std::size_t> class_of_;  // of each worker
  double c1_, c2_, c3_, c4_;
  double round_seconds_, round_joules_;
};

}  // namespace hearsay::gen_qsgd
