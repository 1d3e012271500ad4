#include "tools/advise/genqsgd_plan.hpp"

#include <algorithm>
#include <cmath>

#include "tools/advise/genqsgd_classes.hpp"
#include "tools/advise/geometric_program.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::gen_qsgd {

namespace {

/// No number of the relaxation exceeds this, so that its feasible set is bounded.
constexpr double most_in_the_relaxation = 1e15;

/// A point of the relaxation, K_n one per class.
struct Point {
  double rounds, batch, step_size;
  std::vector<double> steps;
};

/// Where the variables of the geometric programs stand. gamma is in units of 1 / L, T1 in units of the
/// slowest worker's sample.
enum : std::size_t { rounds, batch, step_size, slowest, largest, sum, first_step };

class Descent {
 public:
  explicit Descent(const PlanProblem& problem) : classes_(problem), problem_(problem) {
    for (const WorkerClass& some : classes_.all()) unit_ = std::max(unit_, some.seconds_per_sample);
  }

  std::optional<Relaxation> run(double first_steps) {
    std::optional<Point> point = start(first_steps);
    if (!point) return std::nullopt;
    if (problem_.most_time) {
      const auto enough = [&](const Point& at) {
        return seconds_at(at) < (1.0 - small) * *problem_.most_time;
      };
      point = descend(*point, Objective::time, false, enough).first;
      if (!enough(*point)) return std::nullopt;
    }
    const auto [last, objectives] = descend(*point, problem_.objective, problem_.most_time.has_value(),
                                            [](const Point&) { return false; });
    return Relaxation{{last.rounds, classes_.to_workers(last.steps), last.batch, last.step_size}, objectives};
  }

 private:
  static constexpr double small = 1e-3;  // the slack of a start

  double seconds_at(const Point& at) const {
    return classes_.seconds(classes_.totals(at.steps), at.rounds, at.batch);
  }
  double value_at(const Point& at, Objective what) const {
    return what == Objective::time ? seconds_at(at)
                                   : classes_.energy(classes_.totals(at.steps), at.rounds, at.batch);
  }
  /// Of the relaxation; a little above 1, so that there is room.
  double most_batch() const {
    return problem_.most_batch ? std::max(*problem_.most_batch, 1.1) : most_in_the_relaxation;
  }

  /// Returns the quickest of some points with K_n = first_steps and different B.
  std::optional<Point> start(double first_steps) const {
    constexpr double growth = 1.5;
    Point best{infinity, 1.0, 0.0, {}};
    double least = infinity;
    const std::vector<double> steps(classes_.all().size(), std::max(first_steps, 1.0 + 10.0 * small));
    StepTotals totals = classes_.totals(steps);
    // As the program sees it: T2 and V leave some room.
    totals.most *= 1.0 + 2.0 * small;
    totals.sum *= 1.0 - 2.0 * small;
    for (double size = 1.0 + 10.0 * small; size < std::min(most_batch(), 1e12); size *= growth) {
      Point point{0.0, size, 0.0, steps};
      const double needed = classes_.least_rounds(totals, size, point.step_size);
      point.step_size *= 1.0 - small;
      point.rounds = std::max(1.0, needed) * (1.0 + 10.0 * small);
      const double value = seconds_at(point);
      if (point.rounds < 0.1 * most_in_the_relaxation && value < least) {
        least = value;
        best = point;
      }
    }
    return std::isfinite(least) ? std::optional(best) : std::nullopt;
  }

  /// Solves geometric programs until they move the point no more, or `enough` is true.
  template <class Enough>
  std::pair<Point, std::vector<double>> descend(Point point, Objective what, bool within_time,
                                                const Enough& enough) {
    constexpr int most_programs = 100;
    std::vector<double> values = {value_at(point, what)};
    for (int k = 0; k < most_programs && !enough(point); ++k) {
      const GeometricProgram now = program(point, what, within_time);
      const auto from = start_of(point, now);
      if (!from) break;
      const Point next = point_of(solve(now, *from));
      const double value = value_at(next, what);
      // The last point keeps all constraints of the program, so a rise is within the solver's accuracy.
      if (!(value < values.back())) break;
      values.push_back(value);
      const bool rests = has_moved_little(point.rounds, next.rounds) &&
                         has_moved_little(point.batch, next.batch) &&
                         has_moved_little(point.step_size, next.step_size);
      point = next;
      if (rests) break;
    }
    return {point, values};
  }

  static bool has_moved_little(double from, double to) {
    constexpr double little = 0.01;
    constexpr double little_part = 1e-5;
    // A step size may be far below 0.01: of numbers below 1 a hundredth part counts.
    return std::abs(to - from) < std::max(little * std::min(1.0, from), little_part * from);
  }

  /// The variables at a point that is feasible, with some room for T1, T2 and V. Empty if rounding leaves no
  /// room to the program: the point is its optimum.
  std::optional<std::vector<double>> start_of(const Point& point, const GeometricProgram& program) const {
    constexpr int most_halvings = 40;
    const StepTotals totals = classes_.totals(point.steps);
    const double gamma = point.step_size * problem_.smoothness;
    double room = small;
    for (int k = 0; k < most_halvings; ++k, room /= 2.0) {
      // A solution may be so close to a least size that no digits are left between them.
      const double nudge = 0.01 * room;
      for (const double more_rounds : {1.0 + nudge, 1.0}) {
        std::vector<double> x = {std::max(point.rounds * more_rounds, 1.0 + nudge),
                                 std::max(point.batch, 1.0 + nudge),
                                 std::min(gamma, 1.0 - nudge),
                                 totals.seconds_per_sample / unit_ * (1.0 + room),
                                 totals.most * (1.0 + room),
                                 totals.sum * (1.0 - room)};
        for (const double steps : point.steps) x.push_back(std::max(steps, 1.0 + nudge));
        if (leaves_room(program, x)) return x;
      }
    }
    return std::nullopt;
  }

  Point point_of(const std::vector<double>& x) const {
    return {x[rounds], x[batch], x[step_size] / problem_.smoothness, {x.begin() + first_step, x.end()}};
  }

  GeometricProgram program(const Point& last, Objective what, bool within_time) const {
    const double l = problem_.smoothness;
    const double most = problem_.most_error;
    const std::size_t count = classes_.all().size();
    const double last_sum = classes_.totals(last.steps).sum;
    const Posynomial seconds = {{unit_, {{rounds, 1.0}, {batch, 1.0}, {slowest, 1.0}}},
                                {classes_.round_seconds(), {{rounds, 1.0}}}};
    Posynomial joules = {{classes_.round_joules(), {{rounds, 1.0}}}};
    Posynomial bound = {{classes_.c1() * l / most, {{rounds, -1.0}, {step_size, -1.0}, {sum, -1.0}}},
                        {classes_.c2() / (l * l * most), {{step_size, 2.0}, {largest, 2.0}}},
                        {classes_.c3() / (l * most), {{step_size, 1.0}, {batch, -1.0}}}};
    Monomial means{1.0, {{sum, 1.0}}};  // V / prod (K_n / beta_n)^beta_n
    GeometricProgram program;
    for (std::size_t k = 0; k < count; ++k) {
      const WorkerClass& some = classes_.all()[k];
      const std::size_t own = first_step + k;
      joules.push_back({some.count * some.joules_per_sample, {{rounds, 1.0}, {batch, 1.0}, {own, 1.0}}});
      bound.push_back(
          {classes_.c4() * some.count * some.q / (l * most), {{step_size, 1.0}, {own, 2.0}, {sum, -1.0}}});
      program.at_most_one.push_back({{some.seconds_per_sample / unit_, {{own, 1.0}, {slowest, -1.0}}}});
      program.at_most_one.push_back({{1.0, {{own, 1.0}, {largest, -1.0}}}});
      program.at_most_one.push_back({{1.0, {{own, -1.0}}}});
      const double beta = some.count * last.steps[k] / last_sum;
      means.factor *= std::pow(beta / some.count, beta);
      means.powers.emplace_back(own, -beta);
    }
    program.objective = what == Objective::time ? seconds : joules;
    program.at_most_one.push_back(std::move(bound));
    program.at_most_one.push_back({means});
    program.at_most_one.push_back({{1.0, {{step_size, 1.0}}}});
    if (within_time) {
      program.at_most_one.push_back(seconds);
      for (Monomial& monomial : program.at_most_one.back()) monomial.factor /= *problem_.most_time;
    }
    program.at_most_one.push_back({{1.0, {{rounds, -1.0}}}});
    program.at_most_one.push_back({{1.0, {{batch, -1.0}}}});
    program.at_most_one.push_back({{1.0 / most_batch(), {{batch, 1.0}}}});
    // The rest keeps the feasible set bounded.
    for (const std::size_t any : {std::size_t{rounds}, std::size_t{slowest}, std::size_t{largest}})
      program.at_most_one.push_back({{1.0 / most_in_the_relaxation, {{any, 1.0}}}});
    for (const std::size_t any : {std::size_t{step_size}, std::size_t{sum}})
      program.at_most_one.push_back({{1.0 / most_in_the_relaxation, {{any, -1.0}}}});
    return program;
  }

  Classes classes_;
  const PlanProblem& problem_;
  double unit_ = 0.0;
};

}  // namespace

// As the box has them, worker by worker: the judge of what the search finds with classes.

double bound(const PlanProblem& problem, const Plan& plan) {
  ensure(plan.steps.size() == problem.workers.size(), "a plan has steps for every worker");
  double sum = 0.0, squares = 0.0, most = 0.0;
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const double steps = plan.steps[n], q = problem.workers[n].q, q0 = problem.hub.q;
    sum += steps;
    squares += (q0 + q + q0 * q) * steps * steps;
    most = std::max(most, steps);
  }
  const double gamma = plan.step_size, l = problem.smoothness, g2 = problem.gradient_square;
  const auto n = static_cast<double>(problem.workers.size());
  return 2.0 * n * problem.gap / (gamma * plan.rounds * sum) +
         4.0 * g2 * l * l * gamma * gamma * most * most + l * problem.variance / n * gamma / plan.batch +
         2.0 * l * g2 * gamma * squares / sum;
}

double seconds(const PlanProblem& problem, const Plan& plan) {
  double computing = 0.0, up = 0.0;
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    computing = std::max(computing, problem.workers[n].seconds_per_sample * plan.steps[n]);
    up = std::max(up, problem.workers[n].seconds_up);
  }
  return plan.rounds * (plan.batch * computing + problem.hub.seconds_of_work + up + problem.hub.seconds_down);
}

double energy(const PlanProblem& problem, const Plan& plan) {
  double computing = 0.0, others = problem.hub.joules_of_work + problem.hub.joules_down;
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    computing += problem.workers[n].joules_per_sample * plan.steps[n];
    others += problem.workers[n].joules_per_message;
  }
  return plan.rounds * (plan.batch * computing + others);
}

double objective(const PlanProblem& problem, const Plan& plan) {
  return problem.objective == Objective::time ? seconds(problem, plan) : energy(problem, plan);
}

bool is_feasible(const PlanProblem& problem, const Plan& plan) {
  return plan.rounds >= 1.0 && plan.batch >= 1.0 &&
         std::ranges::all_of(plan.steps, [](double steps) { return steps >= 1.0; }) &&
         plan.batch <= problem.most_batch.value_or(infinity) && plan.step_size > 0.0 &&
         plan.step_size <= 1.0 / problem.smoothness && bound(problem, plan) <= problem.most_error &&
         seconds(problem, plan) <= problem.most_time.value_or(infinity);
}

std::optional<Relaxation> relax(const PlanProblem& problem, double first_steps) {
  if (!(problem.most_error > 0.0)) return std::nullopt;
  return Descent(problem).run(first_steps);
}

std::optional<Plan> best_on_grid(const PlanProblem& problem, const Grid& grid) {
  std::optional<Plan> best;
  double least = infinity;
  for (const std::vector<double>& steps : grid.steps)
    for (const double batch : grid.batches)
      for (const double rounds : grid.rounds) {
        Plan plan{rounds, steps, batch, 0.0};
        const double value = objective(problem, plan);
        if (!(value < least)) continue;
        for (const double step_size : grid.step_sizes) {
          plan.step_size = step_size;
          if (!is_feasible(problem, plan)) continue;
          least = value;
          best = plan;
          break;
        }
      }
  return best;
}

}  // namespace hearsay::gen_qsgd
