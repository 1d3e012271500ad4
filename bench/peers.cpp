// The CPU time of one iteration of one peer, as peers are added to a ring; it should not grow. The simulator
// runs 256 to 4,096 peers with 100 parameters; real processes over ZeroMQ are 4 to 32 peers with 272,474
// parameters, ports limited to 100 Mbit/s. Methods in which every peer needs the packets of all others are
// simulated with 8 to 512 peers: what they add up should cost the same with more peers; their n-1 or 2(n-1)
// messages do not. The time of a short run is subtracted from that of a long one, so that start, evaluations
// and end do not count.

#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

struct Method {
  const char* name;
  const char* keys;
};

constexpr Method methods[] = {
    {"d-psgd", R"toml(kind = "d-psgd")toml"},
    {"dcd-psgd, 4 bit", R"toml(kind = "dcd-psgd", compressor = "dither(linf, bits=4, bucket=512)")toml"}};

constexpr Method gathering_methods[] = {{"demo", R"toml(kind = "demo")toml"},
                                        {"sparse-loco", R"toml(kind = "sparse-loco")toml"},
                                        {"qsgd-allreduce", R"toml(kind = "qsgd-allreduce")toml"},
                                        {"allreduce-sgd", R"toml(kind = "allreduce-sgd")toml"}};

Experiment<float> ring_of(int peers, int parameters, int iterations, const Method& method,
                          const std::string& network) {
  const std::string count = std::to_string(iterations);
  return prepare<float>(parse_run(
      "run.iterations = " + count + "\nrun.evaluate_every = " + count + "\nmodel.kind = \"quadratic(" +
          std::to_string(parameters) + ")\"\ntopology = { kind = \"ring\", peers = " + std::to_string(peers) +
          " }\nalgorithm = { batch = \"full\", " + method.keys + " }\nnetwork = { " + network + " }\n",
      ".", {}, "bench"));
}

/// Returns the CPU seconds of this process and of its children that have ended.
double cpu_seconds() {
  double seconds = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    seconds += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }
  return seconds;
}

template <int parameters>
double simulated_cpu_seconds(int peers, int iterations, const Method& method) {
  const auto experiment = ring_of(peers, parameters, iterations, method, "compute = \"1 ms\"");
  const double begin = cpu_seconds();
  simulate(experiment, Duration{0});
  return cpu_seconds() - begin;
}

double real_cpu_seconds(int peers, int iterations, const Method& method) {
  const auto experiment = ring_of(peers, 272'474, iterations, method,
                                  "compute = \"0 s\", bandwidth = \"100 Mbit/s\", latency = \"1 ms\"");
  const double begin = cpu_seconds();
  const RunOutcome<float> outcome = run_local(experiment);
  if (outcome.status != RunStatus::done) std::printf("unexpected end: %s\n", outcome.reason.c_str());
  return cpu_seconds() - begin;
}

/// Prints one line for each number of peers: microseconds of an iteration of one peer, and their ratio to the
/// first line.
void print_costs(const char* driver, const Method& method, std::initializer_list<int> peer_counts,
                 int peer_iterations, double (*seconds)(int, int, const Method&)) {
  double fewest = 0.0;
  for (const int peers : peer_counts) {
    const int iterations = peer_iterations / peers;
    const double extra = seconds(peers, 1 + iterations, method) - seconds(peers, 1, method);
    const double microseconds = 1e6 * extra / (static_cast<double>(peers) * iterations);
    if (fewest == 0.0) fewest = microseconds;
    std::printf("%-10s %-16s %6d %16.2f %8.2f\n", driver, method.name, peers, microseconds,
                microseconds / fewest);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  std::printf("%-10s %-16s %6s %16s %8s\n", "driver", "method", "peers", "us/peer-iter.", "ratio");
  for (const Method& method : gathering_methods) {
    print_costs("d = 10^3", method, {8, 64, 512}, 1 << 13, simulated_cpu_seconds<1'000>);
    print_costs("d = 10^5", method, {8, 64, 512}, 1 << 11, simulated_cpu_seconds<100'000>);
  }
  for (const Method& method : methods) {
    print_costs("simulator", method, {256, 1024, 4096}, 1 << 20, simulated_cpu_seconds<100>);
    print_costs("zmq", method, {4, 8, 16, 32}, 1920, real_cpu_seconds);
  }
}
