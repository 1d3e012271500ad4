#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tools/advise/genqsgd_classes.hpp"
#include "tools/advise/genqsgd_plan.hpp"

namespace hearsay::gen_qsgd {

namespace {

/// No number of rounds or samples exceeds this: the next whole number is still a double.
constexpr double largest_count = 1e15;

using Steps = std::vector<double>;  // one per class

/// Whole numbers, and how good they are. The step size follows from them.
struct Choice {
  double rounds = infinity, batch = infinity;
  Steps steps = {};
  double excess = infinity;  // seconds above T_max
  double value = infinity;   // the objective

  bool is_possible() const { return std::isfinite(value); }
  bool is_better_than(const Choice& other) const {
    return std::pair(excess, value) < std::pair(other.excess, other.value);
  }
};

/// Returns `from` moved by a part of itself, by 1 at least, and not below 1.
double moved(double from, int direction, double part) {
  const double by = std::max(1.0, std::round(part * from));
  return std::max(1.0, from + direction * by);
}

class WholeSearch {
 public:
  explicit WholeSearch(const PlanProblem& problem) : classes_(problem), problem_(problem) {}

  /// Tries K_n and B around a point of the relaxation.
  void begin_around(const Relaxation& relaxed) {
    const Steps steps = of_classes(relaxed.plan.steps);
    std::vector<Choice> found;
    for (const double scale : {1.0, 0.95, 1.05, 0.85, 1.15})
      for (const Steps& whole : roundings(steps, scale)) {
        Choice best;
        for (const double batch : {std::floor(relaxed.plan.batch), std::ceil(relaxed.plan.batch)})
          take_better(best, with_batch(whole, batch));
        for (const double rounds : {std::floor(relaxed.plan.rounds), std::ceil(relaxed.plan.rounds)})
          take_better(best, with_rounds(whole, rounds));
        found.push_back(std::move(best));
      }
    constexpr std::size_t followed = 16;
    std::ranges::stable_sort(found, [](const Choice& a, const Choice& b) { return a.is_better_than(b); });
    found.resize(std::min(found.size(), followed));
    for (Choice& choice : found) finish(std::move(choice));
  }

  /// Tries K_n = min(k, t F_n / C_n), for a coarse grid of k, t and B.
  void begin_on_grid() {
    constexpr double growth = 1.5;
    constexpr double most_steps = 1e5;
    constexpr double largest_batch = 1e8;
    double quickest = infinity, slowest = 0.0;
    for (const WorkerClass& some : classes_.all()) {
      quickest = std::min(quickest, some.seconds_per_sample);
      slowest = std::max(slowest, some.seconds_per_sample);
    }
    Choice best;
    for (double k = 1.0; k < most_steps; k *= growth) {
      bool is_last = false;  // t does not limit K_n any more
      for (double t = quickest; !is_last; t *= growth) {
        is_last = t >= k * slowest;
        Steps steps;
        for (const WorkerClass& some : classes_.all())
          steps.push_back(std::max(1.0, std::floor(std::min(k, t / some.seconds_per_sample))));
        for (double batch = 1.0; batch < largest_batch; batch = std::ceil(batch * growth)) {
          if (batch > problem_.most_batch.value_or(infinity)) break;
          take_better(best, with_batch(steps, batch));
        }
      }
    }
    finish(std::move(best));
  }

  std::optional<Plan> best() const {
    if (!best_.is_possible() || best_.excess > 0.0) return std::nullopt;
    const StepTotals totals = classes_.totals(best_.steps);
    Plan plan{best_.rounds, classes_.to_workers(best_.steps), best_.batch, 0.0};
    // A bound at C_max to the last digit may be above it in another order of summation.
    for (int more = 0; more < 2; ++more, plan.rounds += 1.0) {
      plan.step_size = classes_.best_step_size(totals, plan.rounds, plan.batch);
      if (is_feasible(problem_, plan)) return plan;
    }
    return std::nullopt;
  }

 private:
  Steps of_classes(const std::vector<double>& of_workers) const {
    // Workers of a class have the same number; the first one has it.
    Steps steps(classes_.all().size());
    std::vector<double> places(steps.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<double>(k);
    const std::vector<double> class_of = classes_.to_workers(places);
    for (std::size_t n = 0; n < of_workers.size(); ++n)
      steps[static_cast<std::size_t>(class_of[n])] = of_workers[n];
    return steps;
  }

  /// Returns the scaled steps, rounded up or down: in all ways if there are few classes, else all from the
  /// same fraction on.
  static std::vector<Steps> roundings(const Steps& steps, double scale) {
    constexpr std::size_t few = 6;
    const auto rounded = [&](const auto& rounds_up) {
      Steps whole;
      for (std::size_t k = 0; k < steps.size(); ++k) {
        const double number = std::floor(scale * steps[k]);
        whole.push_back(std::max(1.0, number + (rounds_up(k, scale * steps[k] - number) ? 1.0 : 0.0)));
      }
      return whole;
    };
    std::vector<Steps> all;
    if (steps.size() <= few)
      for (std::size_t way = 0; way < std::size_t{1} << steps.size(); ++way)
        all.push_back(rounded([&](std::size_t k, double) { return (way >> k & 1U) != 0; }));
    else
      for (const double from : {0.0, 0.25, 0.5, 0.75, 1.0})
        all.push_back(rounded([&](std::size_t, double fraction) { return fraction >= from; }));
    return all;
  }

  static bool take_better(Choice& best, Choice other) {
    if (!other.is_better_than(best)) return false;
    best = std::move(other);
    return true;
  }

  Choice judged(const Steps& steps, const StepTotals& totals, double rounds, double batch) const {
    Choice choice;
    if (!(rounds <= largest_count) || !(batch <= problem_.most_batch.value_or(largest_count))) return choice;
    choice = {rounds, batch, steps, 0.0, classes_.objective(totals, rounds, batch)};
    if (problem_.most_time)
      choice.excess = std::max(0.0, classes_.seconds(totals, rounds, batch) - *problem_.most_time);
    return choice;
  }

  /// The least rounds for these steps and this B, and then the least B for these rounds.
  Choice with_batch(const Steps& steps, double batch) const {
    const StepTotals totals = classes_.totals(steps);
    double step_size = 0.0;
    batch = std::max(1.0, batch);
    const double rounds = std::max(1.0, std::ceil(classes_.least_rounds(totals, batch, step_size)));
    const double least = std::ceil(classes_.least_batch(totals, rounds));
    return judged(steps, totals, rounds, std::min(batch, least));
  }

  /// The least B for these steps and rounds.
  Choice with_rounds(const Steps& steps, double rounds) const {
    const StepTotals totals = classes_.totals(steps);
    rounds = std::max(1.0, rounds);
    return judged(steps, totals, rounds, std::ceil(classes_.least_batch(totals, rounds)));
  }

  /// Tries steps with B and with K_0 about where they are. True if one choice was better.
  bool try_steps(Choice& best, const Steps& steps, double part) const {
    const Choice from = best;
    bool better = false;
    for (const int direction : {-1, 0, 1}) {
      better |= take_better(
          best, with_batch(steps, direction == 0 ? from.batch : moved(from.batch, direction, part)));
      better |= take_better(
          best, with_rounds(steps, direction == 0 ? from.rounds : moved(from.rounds, direction, part)));
    }
    return better;
  }

  bool try_scaled(Choice& best, double part) const {
    const Steps from = best.steps;
    const double most = *std::ranges::max_element(from);
    bool better = try_steps(best, from, part);
    for (const int direction : {-1, 1}) {
      const double scale = moved(most, direction, part) / most;
      Steps steps = from;
      for (double& number : steps) number = std::max(1.0, std::round(scale * number));
      better |= try_steps(best, steps, part);
      // The same, but only of the workers that are the last to end, or that take the most steps.
      const StepTotals totals = classes_.totals(from);
      for (const bool by_time : {false, true}) {
        steps = from;
        for (std::size_t k = 0; k < steps.size(); ++k) {
          const double seconds = classes_.all()[k].seconds_per_sample;
          const double least = direction < 0 ? scale : 1.0 / scale;
          const bool counts = by_time ? seconds * steps[k] >= least * totals.seconds_per_sample
                                      : steps[k] >= least * totals.most;
          if (!counts) continue;
          const double limit =
              by_time ? std::floor(scale * totals.seconds_per_sample / seconds) : scale * totals.most;
          steps[k] = std::max(1.0, std::round(limit));
        }
        better |= try_steps(best, steps, part);
      }
    }
    return better;
  }

  bool try_single(Choice& best, double part) const {
    bool better = false;
    if (classes_.all().size() < 2) return better;
    for (std::size_t k = 0; k < best.steps.size(); ++k)
      for (const int direction : {-1, 1}) {
        Steps steps = best.steps;
        steps[k] = moved(steps[k], direction, part);
        better |= take_better(best, with_batch(steps, best.batch));
        better |= take_better(best, with_rounds(steps, best.rounds));
      }
    return better;
  }

  /// Tries a step more of one worker and a step less of another, if they are few.
  bool try_pairs(Choice& best) const {
    constexpr std::size_t most_classes = 24;
    const std::size_t count = classes_.all().size();
    if (count > most_classes) return false;
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t other = 0; other < count; ++other) {
        if (k == other || best.steps[other] <= 1.0) continue;
        Steps steps = best.steps;
        steps[k] += 1.0;
        steps[other] -= 1.0;
        if (try_steps(best, steps, 0.0)) return true;
      }
    return false;
  }

  /// Goes from a choice to better ones as long as there are any near by, and keeps the last if it is the best
  /// of all.
  void finish(Choice choice) {
    constexpr std::array<double, 6> parts = {0.5, 0.2, 0.08, 0.03, 0.01, 0.0};
    if (!choice.is_possible()) return;
    for (bool better = true; better;) {
      better = false;
      for (const double part : parts)
        while (try_scaled(choice, part) || try_single(choice, part)) better = true;
      better |= try_pairs(choice);
    }
    take_better(best_, std::move(choice));
  }

  Classes classes_;
  const PlanProblem& problem_;
  Choice best_;
};

}  // namespace

std::optional<Plan> plan(const PlanProblem& problem) {
  if (!(problem.most_error > 0.0)) return std::nullopt;
  WholeSearch search(problem);
  for (const double first_steps : {1.0, 3.0, 10.0})
    if (const auto relaxed = relax(problem, first_steps)) search.begin_around(*relaxed);
  search.begin_on_grid();
  return search.best();
}

}  // namespace hearsay::gen_qsgd
