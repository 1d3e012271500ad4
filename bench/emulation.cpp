// How well the emulated network agrees with the kernel's. The simulator predicts the time of a run; then
// eight real processes do the same run, slowed down once by the built-in shaper and once by the kernel
// (network namespaces, tbf; root only). Frames count with their Ethernet framing. A gradient takes an
// emulated 20 ms, long enough for eight real gradients on few cores. Prints one line for each case; both
// ratios to the prediction should lie within 10 % of 1, that of the shaper within 5 %.

#include <unistd.h>

#include <cstdio>

#include "runtime/experiment/experiment.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

struct Network {
  const char* bandwidth;
  const char* latency;
  int iterations;
};

struct Method {
  const char* name;
  const char* algorithm;
};

Experiment<float> experiment_of(const Method& method, const Network& network, int parameters) {
  const std::string iterations = std::to_string(network.iterations);
  return prepare<float>(parse_run("run.iterations = " + iterations + "\nrun.evaluate_every = " + iterations +
                                      "\nmodel.kind = \"quadratic(" + std::to_string(parameters) +
                                      ")\"\ntopology = { kind = \"ring\", peers = 8 }\nalgorithm = { " +
                                      method.algorithm + ", batch = \"full\" }\nnetwork = { bandwidth = \"" +
                                      network.bandwidth + "\", latency = \"" + network.latency +
                                      "\", compute = \"20 ms\", framing = \"ethernet\" }\n",
                                  ".", {}, "bench"));
}

double measured(const Experiment<float>& experiment, const KernelNetwork* network) {
  const auto outcome = run_local(experiment, {}, network);
  if (outcome.status != RunStatus::done) std::printf("%s\n", outcome.reason.c_str());
  return outcome.evaluations.back().seconds;
}

}  // namespace

int main() {
  const bool has_kernel = geteuid() == 0;
  if (!has_kernel) std::printf("skipped: the kernel's column (only root may make network namespaces)\n");
  std::printf("%-14s %-18s %10s %6s %12s %18s %18s\n", "method", "network", "parameters", "iter.",
              "predicted s", "shaper s (ratio)", "kernel s (ratio)");
  for (const Network& network : {Network{"10 Mbit/s", "0 s", 6}, Network{"10 Mbit/s", "5 ms", 6},
                                 Network{"100 Mbit/s", "0 s", 60}, Network{"100 Mbit/s", "1 ms", 60}})
    for (const int parameters : {50'000, 272'474})
      for (const Method& method :
           {Method{"d-psgd", "kind = \"d-psgd\""},
            Method{"dcd-psgd 4 bit", "kind = \"dcd-psgd\", compressor = \"dither(linf, bits=4)\""},
            Method{"allreduce-sgd", "kind = \"allreduce-sgd\""}}) {
        const auto experiment = experiment_of(method, network, parameters);
        const double predicted = simulate(experiment, Duration{0}).seconds;
        const double shaped = measured(experiment, nullptr);
        std::printf("%-14s %-10s %-7s %10d %6d %12.4f %9.4f (%6.4f)", method.name, network.bandwidth,
                    network.latency, parameters, network.iterations, predicted, shaped, shaped / predicted);
        if (has_kernel) {
          const KernelNetwork kernel(experiment.settings, experiment.peer_count());
          const double limited = measured(experiment, &kernel);
          std::printf(" %9.4f (%6.4f)", limited, limited / predicted);
        }
        std::printf("\n");
        std::fflush(stdout);
      }
}
