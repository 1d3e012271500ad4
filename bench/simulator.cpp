// The speed of the simulator, on separable quadratics with d = 100 on a ring, no emulated network. Prints
// peer-iterations per second on one core, and the peak memory of the whole process:
//
//     loop        D-PSGD with full gradients, 10,000 peers: only the work of 100 iterations
//     whole run   what a user gets: everything from a run file with the defaults to the text of its summary,
//                 construction and evaluations included; with 10,000 and with 100,000 peers

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Experiment<float> ring(std::uint64_t peers, std::uint64_t iterations, const std::string& further_keys) {
  return prepare<float>(
      parse_run("run.iterations = " + std::to_string(iterations) +
                    "\nmodel.kind = \"quadratic(100)\"\ntopology = { kind = \"ring\", peers = " +
                    std::to_string(peers) + " }\n" + further_keys,
                ".", {}, "bench"));
}

RunOutcome<float> outcome_of(const Experiment<float>& experiment) {
  // The time of a gradient changes nothing but the virtual seconds.
  RunOutcome<float> outcome = simulate(experiment, Duration{1000});
  if (outcome.status != RunStatus::done) std::printf("unexpected end: %s\n", outcome.reason.c_str());
  return outcome;
}

double seconds_of_loop(std::uint64_t iterations) {
  const auto experiment = ring(10'000, iterations,
                               "run.evaluate_every = " + std::to_string(iterations) +
                                   "\nalgorithm = { kind = \"d-psgd\", batch = \"full\" }\n");
  const auto begin = Clock::now();
  outcome_of(experiment);
  return seconds_since(begin);
}

void whole_run(const std::string& method, std::uint64_t peers, std::uint64_t iterations) {
  const auto begin = Clock::now();
  const auto experiment = ring(peers, iterations, "algorithm.kind = \"" + method + "\"\n");
  const auto outcome = outcome_of(experiment);
  const std::string summary = json_text(summarize(experiment, outcome, Driver::simulator), 2);
  const double seconds = seconds_since(begin);
  std::printf("whole run   %7lu peers x %3lu iterations, %-8s  %9.0f peer-iterations/s, %6.2f s\n", peers,
              iterations, method.c_str(), static_cast<double>(peers * iterations) / seconds, seconds);
}

}  // namespace

int main() {
  // A figure means nothing without the processor.
  std::printf("on          %s\n", processor_name().c_str());
  // The difference of two runs is the work of 100 iterations: both runs construct the peers and evaluate
  // twice.
  const double one = seconds_of_loop(1);
  const double loop = seconds_of_loop(101) - one;
  std::printf(
      "loop          10000 peers x 100 iterations, d-psgd    %9.0f peer-iterations/s (wanted: 400,000)\n",
      10'000 * 100 / loop);
  std::printf("            peak memory %.0f MB (wanted: below 200)\n",
              static_cast<double>(peak_memory_bytes()) / 1e6);
  for (const std::string method : {"d-psgd", "dcd-psgd"}) {
    whole_run(method, 10'000, 100);
    whole_run(method, 100'000, 20);
  }
}
