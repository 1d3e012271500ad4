// The transport beside OpenMPI and gloo, over TCP on loopback, eight processes. An exchange with both
// neighbors of a ring stands beside MPI_Neighbor_allgather and beside bare ZeroMQ sockets, which show what
// hearsay adds to ZeroMQ. An iteration of allreduce-sgd (its gradient included) stands beside the all-reduces
// of the rivals. The contenders take turns; the medians of five measurements are compared.

#include <algorithm>
#include <cstdio>
#include <functional>

#include "bench/exchange.hpp"
#include "bench/rivals/bare_zmq.hpp"
#include "bench/rivals/rival_programs.hpp"
#include "runtime/process/local_run.hpp"

using namespace hearsay;

namespace {

constexpr RivalPlace loopback{8};
constexpr int repetitions = 5;
constexpr std::size_t parameters = 272'474;

double exchange_seconds(std::size_t bytes, int iterations) {
  const MethodInfo exchange = exchange_method();
  return run_local(exchange_experiment(exchange, bytes, iterations)).evaluations.back().seconds / iterations;
}

double allreduce_seconds(int iterations) {
  const std::string count = std::to_string(iterations);
  const auto experiment = prepare<float>(parse_run(
      "run.iterations = " + count + "\nrun.evaluate_every = " + count + "\nmodel.kind = \"quadratic(" +
          std::to_string(parameters) +
          ")\"\ntopology = { kind = \"ring\", peers = 8 }\nalgorithm = { kind = \"allreduce-sgd\", batch = "
          "\"full\" }\n",
      ".", {}, "bench"));
  return run_local(experiment).evaluations.back().seconds / iterations;
}

double seconds_or_zero(const std::optional<RivalResult>& result) { return result ? result->seconds : 0.0; }

struct Contender {
  std::string name;
  std::function<double()> seconds;
  std::vector<double> measured = {};
};

/// Prints the median of each contender, and the ratio of the first median to the others.
void compare(const std::string& what, std::vector<Contender> contenders) {
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (Contender& contender : contenders) contender.measured.push_back(contender.seconds());
  const auto median = [](Contender& contender) {
    std::sort(contender.measured.begin(), contender.measured.end());
    return contender.measured[repetitions / 2];
  };
  const double ours = median(contenders.front());
  for (Contender& contender : contenders)
    std::printf("%-28s %-36s %10.3f ms %9.2f\n", what.c_str(), contender.name.c_str(),
                1e3 * median(contender), ours / median(contender));
  std::fflush(stdout);
}

}  // namespace

int main() {
  if (!has_openmpi()) std::printf("skipped: OpenMPI (no packages libopenmpi-dev and openmpi-bin)\n");
  if (!has_gloo()) std::printf("skipped: gloo (no package libgloo-dev)\n");
  std::printf("%-28s %-36s %13s %9s\n", "", "", "median", "hearsay /");
  for (const auto& [what, bytes, iterations] : {std::tuple("exchange, 4 MB a message", 4'000'000, 50),
                                                std::tuple("exchange, 40 kB a message", 40'000, 2000)}) {
    const auto size = static_cast<std::size_t>(bytes);
    const int count = iterations;
    std::vector<Contender> contenders = {{"hearsay", [=] { return exchange_seconds(size, count); }}};
    if (has_openmpi())
      contenders.push_back({"OpenMPI MPI_Neighbor_allgather",
                            [=] { return seconds_or_zero(openmpi_neighbors(loopback, size, count)); }});
    contenders.push_back({"ZeroMQ's bare sockets", [=] { return bare_zmq_exchange_seconds(size, count); }});
    compare(what, std::move(contenders));
  }
  constexpr int iterations = 50;
  std::vector<Contender> contenders = {{"allreduce-sgd", [] { return allreduce_seconds(iterations); }}};
  if (has_openmpi())
    for (const OpenMpiWay& way : openmpi_allreduce_ways())
      contenders.push_back(
          {"OpenMPI, " + way.name,
           [way] { return seconds_or_zero(openmpi_allreduce(loopback, way, parameters, iterations)); }});
  if (has_gloo())
    for (const char* algorithm : {"ring", "bcube"})
      contenders.push_back({std::string("gloo, ") + algorithm, [algorithm] {
                              return seconds_or_zero(
                                  gloo_allreduce(loopback, algorithm, parameters, iterations));
                            }});
  compare("all-reduce, 272,474 floats", std::move(contenders));
}
