// Who reaches the target loss first on a wire that the kernel limits (network namespaces, tbf; root only):
// the methods of hearsay, SGD with the fastest all-reduce of OpenMPI, and the all-reduce of gloo. All have
// the same model, start, step size and emulated compute, which a sweep such as bench/sweeps/slow-network.toml
// gives. The bandwidth is 10 Mbit/s unless KEY=VALUE sets another. Beside the baseline it trains the variants
// that are named, or those of DCD-PSGD; of an axis the first value counts:
//
//     bench_rivals_slow_network [SWEEP_FILE [KEY=VALUE | VARIANT]...]

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/rivals/rival_programs.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

constexpr int trial_iterations = 2;

/// How many iterations and seconds a variant took to the target.
struct Trained {
  std::uint64_t iterations;
  double seconds;
};

void print_heading() {
  std::printf("\n%-42s %10s %12s %12s %12s %12s\n", "", "iterations", "predicted s", "measured s",
              "s/iteration", "loss");
}

void print_row(const std::string& name, std::uint64_t iterations, double predicted, double seconds,
               double loss) {
  std::printf("%-42s %10llu", name.c_str(), static_cast<unsigned long long>(iterations));
  predicted > 0.0 ? void(std::printf(" %12.3f", predicted)) : void(std::printf(" %12s", "-"));
  std::printf(" %12.3f %12.4f %12.1f\n", seconds, seconds / static_cast<double>(iterations), loss);
  std::fflush(stdout);
}

/// Trains the variant with real processes up to the iteration at which it reaches the target. The simulator
/// says which iteration that is: real runs have the bits of simulated ones (tests/process/twin_test.cpp).
/// Empty if the target is not reached, or the run failed.
std::optional<Trained> train(const SweepPoint& point, const KernelNetwork& network) {
  auto experiment = prepare<float>(point.run);
  const auto predicted = simulate(experiment, Duration{0});
  if (!predicted.target) {
    std::printf("%-42s does not reach the target\n", point.variant.c_str());
    return std::nullopt;
  }
  const std::uint64_t iterations = predicted.target->iteration;
  experiment.iterations = experiment.settings.run.iterations = iterations;
  experiment.settings.run.evaluate_every = iterations;
  const auto outcome = run_local(experiment, {}, &network);
  if (outcome.evaluations.empty()) {
    std::printf("%-42s %s\n", point.variant.c_str(), outcome.reason.c_str());
    return std::nullopt;
  }
  const Evaluation& end = outcome.evaluations.back();
  print_row(point.variant, iterations, predicted.target->seconds, end.seconds, end.loss);
  return Trained{iterations, end.seconds};
}

std::optional<OpenMpiWay> best_of_openmpi(const RivalPlace& place, std::size_t floats) {
  std::optional<OpenMpiWay> best;
  double least = 0.0;
  for (const OpenMpiWay& way : openmpi_allreduce_ways()) {
    const auto result = openmpi_allreduce(place, way, floats, trial_iterations);
    if (!result) continue;
    std::printf("OpenMPI all-reduce, %-40s %8.4f s\n", way.name.c_str(), result->seconds);
    std::fflush(stdout);
    if (!best || result->seconds < least) {
      best = way;
      least = result->seconds;
    }
  }
  return best;
}

void print_gloo(const RivalPlace& place, std::size_t floats) {
  if (!has_gloo()) {
    std::printf("skipped: gloo (no package libgloo-dev when this was built)\n");
    return;
  }
  for (const char* algorithm : {"ring", "bcube"})
    if (const auto result = gloo_allreduce(place, algorithm, floats, trial_iterations))
      std::printf("gloo all-reduce, %-43s %8.4f s\n", algorithm, result->seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (geteuid() != 0) {
    std::printf("skipped: rivals on a slow network (only root may make network namespaces)\n");
    return 0;
  }
  std::vector<std::string> assignments = {"sweep.network.bandwidth=[\"10 Mbit/s\"]",
                                          "sweep.network.latency=[\"0 s\"]", "network.framing=ethernet"};
  std::vector<std::string> variants;
  for (int k = 2; k < argc; ++k) {
    const std::string argument = argv[k];
    (argument.find('=') == std::string::npos ? variants : assignments).push_back(argument);
  }
  const Sweep sweep = load_sweep(argc > 1 ? argv[1] : "bench/sweeps/slow-network.toml", assignments);
  const RunSettings& any = sweep.points.front().run;
  const auto floats = static_cast<std::size_t>(prepare<float>(any).problem.dimension());
  const KernelNetwork network(any, any.topology.peers);
  const RivalPlace place{any.topology.peers, &network};
  std::printf("%u peers, %zu parameters, %s, compute %s, step size %g; %s\n", any.topology.peers, floats,
              to_text(any.network.bandwidth_up).c_str(), to_text(any.network.compute.median).c_str(),
              any.algorithm.step_size, network.description().c_str());

  print_gloo(place, floats);
  std::optional<OpenMpiWay> best;
  if (has_openmpi())
    best = best_of_openmpi(place, floats);
  else
    std::printf("skipped: OpenMPI (no packages libopenmpi-dev and openmpi-bin when this was built)\n");

  print_heading();
  std::optional<Trained> baseline;
  std::vector<std::pair<std::string, Trained>> trained;
  for (const SweepPoint& point : sweep.points) {
    const bool is_wanted = variants.empty() ? point.run.algorithm.kind == "dcd-psgd"
                                            : std::ranges::count(variants, point.variant) > 0;
    const bool is_first = &point == &sweep.points.front() || (&point - 1)->variant != point.variant;
    if (!is_first || (point.variant != sweep.baseline && !is_wanted)) continue;
    const auto its = train(point, network);
    if (!its) continue;
    trained.emplace_back(point.variant, *its);
    if (point.variant == sweep.baseline) baseline = its;
  }
  if (!best || !baseline) return 0;
  const std::string run_file = "/tmp/hearsay-rival-" + std::to_string(getpid()) + ".toml";
  std::ofstream(run_file) << to_toml(any);
  // OpenMPI gets as many iterations as the baseline: SGD takes the same steps with any all-reduce.
  const auto openmpi = openmpi_sgd(place, *best, run_file, static_cast<int>(baseline->iterations));
  std::remove(run_file.c_str());
  if (!openmpi) return 1;
  print_row("OpenMPI, " + best->name, baseline->iterations, 0.0, openmpi->seconds, openmpi->loss);
  std::printf("\n%-42s %s\n", "", "sooner than OpenMPI's best by");
  for (const auto& [name, its] : trained)
    std::printf("%-42s %28.2fx\n", name.c_str(), openmpi->seconds / its.seconds);
}
