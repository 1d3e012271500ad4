// What a gradient through a program costs beside its computation: a NumPy program that answers with x itself,
// through the socket and the shared memory, on minibatches of 32. Wall-clock time.
//
//   build/bench/bench_programs
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/experiment/problem_of.hpp"
#include "runtime/settings/run_settings_file.hpp"

using namespace hearsay;

namespace {

constexpr int gradients = 2000;

Problem<float> problem_of_dimension(const std::string& dimension) {
  const std::string text = "model.kind = \"program\"\nmodel.program = [\"" HEARSAY_BENCH_PYTHON
                           "\", \"echo.py\", \"" +
                           dimension + "\"]\nmodel.directory = \"" HEARSAY_BENCH_PROGRAMS "\"\n";
  std::vector<std::string> doubts;
  return problem_of<float>(parse_run(text, ".", {}, "bench"), {.peer = 0}, doubts);
}

/// The median of the microseconds of a gradient.
double median_us(const Problem<float>& problem) {
  const Vector<float> x = problem.initial;
  Vector<float> gradient(x.size());
  std::vector<Index> samples(32);
  std::iota(samples.begin(), samples.end(), Index{0});
  std::vector<double> taken_us;
  for (std::uint64_t iteration = 1; iteration <= gradients; ++iteration) {
    const auto begin = std::chrono::steady_clock::now();
    problem.objectives[0]->minibatch_gradient(x, {.samples = samples, .seed = 1, .iteration = iteration},
                                              gradient);
    taken_us.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(taken_us.begin(), taken_us.begin() + gradients / 2, taken_us.end());
  return taken_us[gradients / 2];
}

}  // namespace

int main() {
  setenv("PYTHONPATH", HEARSAY_BENCH_PACKAGE, 0);
  std::printf("%10s %12s\n", "d", "us/gradient");
  for (const char* const dimension : {"10", "1000", "61706", "272474"})
    std::printf("%10s %12.1f\n", dimension, median_us(problem_of_dimension(dimension)));
}
