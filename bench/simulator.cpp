// The speed of the simulator: 10,000 peers on a ring, D-PSGD on separable quadratics with d = 100, 100
// iterations, no emulated network. Prints peer-iterations per second on one core (without construction and
// evaluations) and the peak memory of the whole process.

#include <chrono>
#include <cstdio>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

double seconds_for(std::uint64_t iterations) {
  const auto experiment = prepare<float>(
      parse_run("run.iterations = " + std::to_string(iterations) +
                    "\nrun.evaluate_every = " + std::to_string(iterations) +
                    "\nmodel.kind = \"quadratic(100)\"\ntopology = { kind = \"ring\", peers = 10000 }\n"
                    "algorithm = { kind = \"d-psgd\", batch = \"full\" }\nnetwork.compute = \"0 s\"\n",
                ".", {}, "bench"));
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = simulate(experiment, Duration{0});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (outcome.status != RunStatus::done) std::printf("unexpected end: %s\n", outcome.reason.c_str());
  return took.count();
}

}  // namespace

int main() {
  constexpr double peers = 10'000;
  // The difference of two runs is the work of 100 iterations: both runs construct the peers and evaluate
  // twice.
  const double one = seconds_for(1);
  const double hundred = seconds_for(101);
  const double rate = peers * 100 / (hundred - one);
  std::printf(
      "simulator   10,000 peers, ring, d = 100, D-PSGD: %.0f peer-iterations per second (wanted: 400,000)\n",
      rate);
  std::printf("            peak memory %.0f MB (wanted: below 200)\n",
              static_cast<double>(peak_memory_bytes()) / 1e6);
}
