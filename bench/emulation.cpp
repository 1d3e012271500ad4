// How honest the emulated network is: eight real processes over ZeroMQ against the simulator's prediction of the same
// run, with negligible compute. One line a case; the ratio should lie within 5 % of 1.

#include <cstdio>

#include "runtime/config.hpp"
#include "runtime/experiment.hpp"
#include "runtime/local_run.hpp"
#include "runtime/simulator.hpp"

using namespace hearsay;

int main() {
  std::printf("%-14s %-22s %10s %6s %12s %12s %8s\n", "method", "network", "parameters", "iter.",
              "predicted s", "measured s", "ratio");
  struct Network {
    const char* bandwidth;
    const char* latency;
    int iterations;
  };
  for (const Network& network : {Network{"10 Mbit/s", "5 ms", 6}, Network{"100 Mbit/s", "1 ms", 60}})
    for (const int parameters : {50'000, 272'474})
      for (const char* method : {"d-psgd", "allreduce-sgd"}) {
        const std::string iterations = std::to_string(network.iterations);
        const auto experiment = prepare<float>(
            parse_run("run.iterations = " + iterations + "\nrun.evaluate_every = " + iterations +
                          "\nmodel.kind = \"quadratic(" + std::to_string(parameters) +
                          ")\"\ntopology = { kind = \"ring\", peers = 8 }\nalgorithm = { kind = \"" + method +
                          "\", batch = \"full\" }\nnetwork = { bandwidth = \"" + network.bandwidth +
                          "\", latency = \"" + network.latency + "\", compute = \"0 s\" }\n",
                      ".", {}, "bench"));
        const double predicted = simulate(experiment, Duration{0}).seconds;
        const auto outcome = run_local(experiment);
        const double measured = outcome.evaluations.back().seconds;
        std::printf("%-14s %-10s %-11s %10d %6s %12.4f %12.4f %8.4f\n", method, network.bandwidth,
                    network.latency, parameters, iterations.c_str(), predicted, measured,
                    measured / predicted);
        std::fflush(stdout);
      }
}
