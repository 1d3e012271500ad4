#include "tools/advise/genqsgd_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "algorithms/arithmetic/random.hpp"
#include "tools/advise/geometric_program.hpp"

namespace hearsay::gen_qsgd::genqsgd_plan_test {

namespace {

/// Numbers of one seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_(seed, 0, 0, Purpose::data) {}
  /// Of a logarithm that is uniform.
  double between(double least, double most) {
    return least * std::exp(stream_.uniform() * std::log(most / least));
  }

 private:
  RandomStream stream_;
};

PlanProblem drawn(std::uint64_t seed, std::size_t workers, Objective objective) {
  Draw draw(seed);
  PlanProblem problem;
  problem.objective = objective;
  for (std::size_t n = 0; n < workers; ++n)
    problem.workers.push_back({.seconds_per_sample = draw.between(1e-4, 1e-2),
                               .seconds_up = draw.between(1e-3, 1.0),
                               .q = draw.between(0.01, 5.0),
                               .joules_per_sample = draw.between(1e-3, 1e-1),
                               .joules_per_message = draw.between(1e-3, 1.0)});
  problem.hub = {.seconds_of_work = draw.between(1e-4, 1e-2),
                 .seconds_down = draw.between(1e-3, 1.0),
                 .q = draw.between(0.01, 2.0),
                 .joules_of_work = draw.between(1e-3, 1e-1),
                 .joules_down = draw.between(1e-3, 1.0)};
  problem.smoothness = draw.between(0.05, 5.0);
  problem.variance = draw.between(0.1, 100.0);
  problem.gradient_square = draw.between(0.1, 10.0);
  problem.gap = draw.between(0.1, 5.0);
  problem.most_error = draw.between(0.05, 0.5) * problem.gradient_square;
  return problem;
}

/// The first half of the workers is quick and the second slow, all alike within a half.
PlanProblem of_two_classes(std::uint64_t seed, std::size_t workers, Objective objective) {
  PlanProblem problem = drawn(seed, workers, objective);
  for (std::size_t n = 0; n < workers; ++n) {
    problem.workers[n] = problem.workers[n < workers / 2 ? 0 : workers - 1];
    if (n >= workers / 2) problem.workers[n].seconds_per_sample = 7.0 * problem.workers[0].seconds_per_sample;
  }
  return problem;
}

std::vector<double> whole_numbers(double least, double most, double growth) {
  std::vector<double> numbers;
  for (double number = least; number <= most; number = std::max(number + 1.0, std::round(number * growth)))
    numbers.push_back(number);
  return numbers;
}

/// Many step sizes up to 1 / L.
std::vector<double> step_sizes(const PlanProblem& problem) {
  std::vector<double> sizes;
  for (double size = 1.0 / problem.smoothness; size > 1e-6 / problem.smoothness; size *= 0.8)
    sizes.push_back(size);
  return sizes;
}

Grid grid_of(const PlanProblem& problem, std::vector<std::vector<double>> steps, const Plan& near) {
  Grid grid{whole_numbers(1.0, 4.0 * near.rounds + 10.0, 1.3), std::move(steps),
            whole_numbers(1.0, 6.0 * near.batch + 40.0, 1.3), step_sizes(problem)};
  for (const double by : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
    grid.rounds.push_back(std::max(1.0, near.rounds + by));
    grid.batches.push_back(std::max(1.0, near.batch + by));
  }
  for (const double by : {0.97, 0.99, 1.0, 1.01, 1.03})
    grid.step_sizes.push_back(std::min(1.0 / problem.smoothness, by * near.step_size));
  return grid;
}

/// Every worker takes the same number of steps.
std::vector<std::vector<double>> common_steps(std::size_t workers) {
  std::vector<std::vector<double>> all;
  for (const double steps : whole_numbers(1.0, 150.0, 1.25)) all.emplace_back(workers, steps);
  return all;
}

/// A number for the first half of the workers, and another one for the second half.
std::vector<std::vector<double>> steps_of_halves(std::size_t workers) {
  std::vector<std::vector<double>> all;
  for (const double first : whole_numbers(1.0, 60.0, 1.4))
    for (const double second : whole_numbers(1.0, 60.0, 1.4)) {
      all.emplace_back(workers, second);
      std::fill_n(all.back().begin(), workers / 2, first);
    }
  return all;
}

/// The objective at whole numbers, with the best of many step sizes; infinite if none is feasible.
double with_best_step(const PlanProblem& problem, Plan plan) {
  constexpr int count = 2000;
  for (int k = 0; k < count; ++k) {
    plan.step_size = std::pow(1e-5, static_cast<double>(k) / count) / problem.smoothness;
    if (is_feasible(problem, plan)) return objective(problem, plan);
  }
  return std::numeric_limits<double>::infinity();
}

const Objective both[] = {Objective::time, Objective::energy};

}  // namespace

TEST_CASE(
    "geometric program: the least of 2 / (x y) + x + y is 3 cbrt(2), and x + 1 / x >= 2 where x <= 1/2") {
  GeometricProgram program;
  program.objective = {{2.0, {{0, -1.0}, {1, -1.0}}}, {1.0, {{0, 1.0}}}, {1.0, {{1, 1.0}}}};
  for (const std::size_t any : {0U, 1U}) {
    program.at_most_one.push_back({{1e-6, {{any, 1.0}}}});
    program.at_most_one.push_back({{1e-6, {{any, -1.0}}}});
  }
  CHECK(value_of(program.objective, solve(program, {100.0, 0.01})) ==
        doctest::Approx(3.0 * std::cbrt(2.0)).epsilon(2e-6));
  program.objective = {{1.0, {{0, 1.0}}}, {1.0, {{0, -1.0}}}};
  program.at_most_one.push_back({{2.0, {{0, 1.0}}}});
  const std::vector<double> x = solve(program, {0.01, 1.0});
  CHECK(value_of(program.objective, x) == doctest::Approx(2.5).epsilon(2e-6));
  CHECK(x[0] < 0.5);
}

TEST_CASE("gen-qsgd plan: the bound grows with every worker's q, and with the hub's") {
  const PlanProblem problem = drawn(1, 5, Objective::time);
  const Plan plan{100.0, {1.0, 2.0, 3.0, 4.0, 5.0}, 4.0, 0.01};
  for (std::size_t n = 0; n < problem.workers.size(); ++n) {
    PlanProblem coarser = problem;
    double last = bound(problem, plan);
    for (int k = 0; k < 5; ++k) {
      coarser.workers[n].q *= 1.5;
      const double next = bound(coarser, plan);
      CHECK(next > last);
      last = next;
    }
  }
  PlanProblem coarser = problem;
  coarser.hub.q *= 1.5;
  CHECK(bound(coarser, plan) > bound(problem, plan));
}

TEST_CASE("gen-qsgd plan: coarser quantizers never make the best plan cheaper") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    PlanProblem problem = drawn(seed, 3, Objective::time);
    double last = 0.0;
    for (const double q : {0.0, 0.1, 1.0, 10.0}) {
      for (Worker& worker : problem.workers) worker.q = q;
      const auto best = plan(problem);
      REQUIRE(best);
      CHECK(objective(problem, *best) >= last);
      last = objective(problem, *best);
    }
  }
}

TEST_CASE(
    "gen-qsgd plan: one worker without quantization has the bound of local SGD, and of SGD with one step") {
  PlanProblem problem = drawn(7, 1, Objective::time);
  problem.workers[0].q = 0.0;
  problem.hub.q = 0.0;
  const double l = problem.smoothness, g2 = problem.gradient_square;
  const double k0 = 40.0, k = 6.0, b = 8.0, gamma = 0.01;
  CHECK(bound(problem, {k0, {k}, b, gamma}) ==
        doctest::Approx(2.0 * problem.gap / (gamma * k0 * k) + 4.0 * g2 * l * l * gamma * gamma * k * k +
                        l * problem.variance * gamma / b));
  CHECK(bound(problem, {k0, {1.0}, b, gamma}) ==
        doctest::Approx(2.0 * problem.gap / (gamma * k0) + 4.0 * g2 * l * l * gamma * gamma +
                        l * problem.variance * gamma / b));
}

TEST_CASE("gen-qsgd plan: seconds and joules are those of the formulas") {
  PlanProblem problem;
  problem.workers = {{0.5, 2.0, 0.0, 3.0, 5.0}, {0.25, 4.0, 0.0, 1.0, 7.0}};
  problem.hub = {0.125, 8.0, 0.0, 0.5, 11.0};
  const Plan plan{10.0, {3.0, 8.0}, 4.0, 0.1};
  CHECK(seconds(problem, plan) == 10.0 * (4.0 * 2.0 + 0.125 + 4.0 + 8.0));
  CHECK(energy(problem, plan) == 10.0 * (4.0 * (9.0 + 8.0) + 0.5 + 5.0 + 7.0 + 11.0));
}

TEST_CASE("gen-qsgd plan: the objective never rises, from any start, and the end is feasible") {
  for (const Objective what : both)
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
      for (const std::size_t workers : {1U, 3U, 10U})
        for (const double first : {1.0, 3.0, 10.0}) {
          const PlanProblem problem = drawn(seed, workers, what);
          const auto relaxed = relax(problem, first);
          REQUIRE(relaxed);
          CHECK(std::ranges::is_sorted(relaxed->objectives, std::greater{}));
          CHECK(relaxed->objectives.size() > 1);
          CHECK(relaxed->objectives.back() == doctest::Approx(objective(problem, relaxed->plan)));
          CHECK(is_feasible(problem, relaxed->plan));
        }
}

TEST_CASE("gen-qsgd plan: no feasible point of a grid is better, all workers with the same steps") {
  for (const Objective what : both)
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      for (const std::size_t workers : {1U, 3U, 10U}) {
        CAPTURE(seed);
        CAPTURE(workers);
        const PlanProblem problem = drawn(seed, workers, what);
        const auto best = plan(problem);
        REQUIRE(best);
        CHECK(is_feasible(problem, *best));
        const Grid grid = grid_of(problem, common_steps(workers), *best);
        const auto rival = best_on_grid(problem, grid);
        REQUIRE(rival);
        CHECK(objective(problem, *best) <= objective(problem, *rival));
      }
}

TEST_CASE("gen-qsgd plan: no feasible point of a grid is better, two classes of workers") {
  for (const Objective what : both)
    for (std::uint64_t seed = 11; seed <= 14; ++seed)
      for (const std::size_t workers : {3U, 10U}) {
        CAPTURE(seed);
        CAPTURE(workers);
        const PlanProblem problem = of_two_classes(seed, workers, what);
        const auto best = plan(problem);
        REQUIRE(best);
        for (std::size_t n = 1; n < workers; ++n)
          if (problem.workers[n] == problem.workers[n - 1]) CHECK(best->steps[n] == best->steps[n - 1]);
        const auto rival = best_on_grid(problem, grid_of(problem, steps_of_halves(workers), *best));
        REQUIRE(rival);
        CHECK(objective(problem, *best) <= objective(problem, *rival));
      }
}

TEST_CASE("gen-qsgd plan: within a time, energy is no less at any feasible point of a grid") {
  for (std::uint64_t seed = 21; seed <= 26; ++seed)
    for (const std::size_t workers : {1U, 3U, 10U}) {
      CAPTURE(seed);
      CAPTURE(workers);
      PlanProblem problem = drawn(seed, workers, Objective::time);
      for (Worker& worker : problem.workers)
        worker.seconds_per_sample = problem.workers[0].seconds_per_sample;
      const auto quickest = plan(problem);
      REQUIRE(quickest);
      problem.objective = Objective::energy;
      problem.most_time = 1.2 * seconds(problem, *quickest);
      const auto best = plan(problem);
      REQUIRE(best);
      CHECK(is_feasible(problem, *best));
      CHECK(energy(problem, *best) <= energy(problem, *quickest));
      const auto relaxed = relax(problem, 3.0);
      if (relaxed) CHECK(std::ranges::is_sorted(relaxed->objectives, std::greater{}));
      const auto rival = best_on_grid(problem, grid_of(problem, common_steps(workers), *best));
      if (rival) CHECK(energy(problem, *best) <= energy(problem, *rival));
    }
}

TEST_CASE("gen-qsgd plan: no neighbour in K_0, B and the scale of all K_n is better") {
  for (const Objective what : both)
    for (std::uint64_t seed = 31; seed <= 36; ++seed) {
      const PlanProblem problem = drawn(seed, 4, what);
      const auto best = plan(problem);
      REQUIRE(best);
      CHECK(std::floor(best->rounds) == best->rounds);
      CHECK(std::floor(best->batch) == best->batch);
      const double most = *std::ranges::max_element(best->steps);
      for (const double rounds : {-1.0, 0.0, 1.0})
        for (const double batch : {-1.0, 0.0, 1.0})
          for (const double scale : {-1.0, 0.0, 1.0}) {
            Plan near = *best;
            near.rounds += rounds;
            near.batch += batch;
            for (double& steps : near.steps) steps = std::max(1.0, std::round(steps * (most + scale) / most));
            if (near.rounds < 1.0 || near.batch < 1.0) continue;
            CHECK(objective(problem, *best) <= with_best_step(problem, near));
          }
    }
}

TEST_CASE("gen-qsgd plan: what cannot be done in time, or at all, has no plan, and no point of a grid") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    PlanProblem problem = drawn(seed, 3, Objective::time);
    const auto quickest = plan(problem);
    REQUIRE(quickest);
    problem.most_time = 0.9 * seconds(problem, *quickest);
    CHECK_FALSE(plan(problem));
    CHECK_FALSE(best_on_grid(problem, grid_of(problem, common_steps(3), *quickest)));
    problem.objective = Objective::energy;
    CHECK_FALSE(plan(problem));
    problem.most_time = 1e-9;
    CHECK_FALSE(plan(problem));
    CHECK_FALSE(relax(problem, 1.0));
    problem.most_time = std::nullopt;
    problem.most_error = 0.0;
    CHECK_FALSE(plan(problem));
  }
}

TEST_CASE("gen-qsgd plan: no batch is larger than the shards allow, and a smaller limit costs more") {
  PlanProblem problem = drawn(4, 3, Objective::time);
  const auto free = plan(problem);
  REQUIRE(free);
  for (const double most : {1.0, 2.0, 5.0}) {
    problem.most_batch = most;
    const auto best = plan(problem);
    REQUIRE(best);
    CHECK(best->batch <= most);
    CHECK(objective(problem, *best) >= objective(problem, *free));
  }
}

}  // namespace hearsay::gen_qsgd::genqsgd_plan_test
