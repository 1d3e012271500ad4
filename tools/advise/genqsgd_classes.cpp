#include "tools/advise/genqsgd_classes.hpp"

#include <algorithm>
#include <cmath>

#include "topology/foundation/ensure.hpp"

namespace hearsay::gen_qsgd {

namespace {

/// Returns the root in (0, most] of an increasing function that is below 0 near 0; `most` if it has none.
template <class Function>
double increasing_root(double most, const Function& function) {
  if (function(most) <= 0.0) return most;
  double below = most;
  while (function(below) > 0.0) below /= 2.0;
  double above = 2.0 * below;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (below + above);
    (function(middle) > 0.0 ? above : below) = middle;
  }
  return below;
}

double joint(double q, double other) { return q + other + q * other; }

}  // namespace

Classes::Classes(const PlanProblem& problem) : problem_(problem) {
  ensure(!problem.workers.empty(), "there is a worker to plan for");
  ensure(problem.smoothness > 0.0 && problem.gap > 0.0, "L and Q are above 0");
  const auto count = static_cast<double>(problem.workers.size());
  const double g = problem.gradient_square;
  c1_ = 2.0 * count * problem.gap;
  c2_ = 4.0 * g * problem.smoothness * problem.smoothness;
  c3_ = problem.smoothness * problem.variance / count;
  c4_ = 2.0 * problem.smoothness * g;
  double up = 0.0;
  round_joules_ = problem.hub.joules_of_work + problem.hub.joules_down;
  for (const Worker& worker : problem.workers) {
    ensure(worker.seconds_per_sample > 0.0, "a gradient takes time");
    ensure(problem.objective == Objective::time || worker.joules_per_sample > 0.0, "a gradient takes energy");
    up = std::max(up, worker.seconds_up);
    round_joules_ += worker.joules_per_message;
    const double q = joint(problem.hub.q, worker.q);
    const auto alike = std::ranges::find_if(classes_, [&](const WorkerClass& other) {
      return other.seconds_per_sample == worker.seconds_per_sample &&
             other.joules_per_sample == worker.joules_per_sample && other.q == q;
    });
    class_of_.push_back(static_cast<std::size_t>(alike - classes_.begin()));
    if (alike == classes_.end())
      classes_.push_back({1.0, worker.seconds_per_sample, worker.joules_per_sample, q});
    else
      alike->count += 1.0;
  }
  round_seconds_ = problem.hub.seconds_of_work + up + problem.hub.seconds_down;
}

std::vector<double> Classes::to_workers(const std::vector<double>& steps) const {
  std::vector<double> of_workers;
  for (const std::size_t k : class_of_) of_workers.push_back(steps[k]);
  return of_workers;
}

StepTotals Classes::totals(const std::vector<double>& steps) const {
  StepTotals totals;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const WorkerClass& some = classes_[k];
    totals.sum += some.count * steps[k];
    totals.weighted_squares += some.count * some.q * steps[k] * steps[k];
    totals.most = std::max(totals.most, steps[k]);
    totals.seconds_per_sample = std::max(totals.seconds_per_sample, some.seconds_per_sample * steps[k]);
    totals.joules_per_sample += some.count * some.joules_per_sample * steps[k];
  }
  return totals;
}

double Classes::seconds(const StepTotals& totals, double rounds, double batch) const {
  return rounds * (batch * totals.seconds_per_sample + round_seconds_);
}

double Classes::energy(const StepTotals& totals, double rounds, double batch) const {
  return rounds * (batch * totals.joules_per_sample + round_joules_);
}

double Classes::objective(const StepTotals& totals, double rounds, double batch) const {
  return problem_.objective == Objective::time ? seconds(totals, rounds, batch)
                                               : energy(totals, rounds, batch);
}

double Classes::least_rounds(const StepTotals& totals, double batch, double& step_size) const {
  const double a = c2_ * totals.most * totals.most;
  const double b = c3_ / batch + c4_ * totals.weighted_squares / totals.sum;
  const double most = problem_.most_error;
  step_size = std::min(1.0 / problem_.smoothness, most / (b + std::sqrt(b * b + 3.0 * a * most)));
  return c1_ / (totals.sum * step_size * (most - b * step_size - a * step_size * step_size));
}

double Classes::least_batch(const StepTotals& totals, double rounds) const {
  const double a = c2_ * totals.most * totals.most;
  const double e = c4_ * totals.weighted_squares / totals.sum;
  const double r = c1_ / (rounds * totals.sum);
  const double most = problem_.most_error;
  const double gamma =
      increasing_root(1.0 / problem_.smoothness, [&](double x) { return x * (a * x * x + most) - 2.0 * r; });
  const double left = (most - r / gamma - gamma * (a * gamma + e)) / gamma;  // for c3 / B
  return left > 0.0 ? std::max(1.0, c3_ / left) : infinity;
}

double Classes::best_step_size(const StepTotals& totals, double rounds, double batch) const {
  const double a = c2_ * totals.most * totals.most;
  const double b = c3_ / batch + c4_ * totals.weighted_squares / totals.sum;
  const double r = c1_ / (rounds * totals.sum);
  return increasing_root(1.0 / problem_.smoothness, [&](double x) { return x * x * (2.0 * a * x + b) - r; });
}

}  // namespace hearsay::gen_qsgd
