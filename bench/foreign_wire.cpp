// How much of a wire that hearsay has not made its messages use, and how much a bare TCP loop with the same
// bytes uses: a ring of hosts in network namespaces (root only), each with a port that drops what does not
// fit into its queue. Every network is measured with each congestion control as the machine's own.
//
//     bench_foreign_wire [--queue "10 ms"] [--only WORD]... [KEY=VALUE]...
//
// Only rows are measured that have all the words: "cubic", "DCD, 4 bit", "10 Mbit/s". The assignments are
// those of `hearsay run --set`; network.congestion=system leaves hearsay what the bare loop has. The time of
// an exchange is that of all iterations over their number, TCP's slow start included. "of wire": bytes of the
// frames with their Ethernet, IP and TCP headers / bandwidth / time.

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "bench/bare_tcp.hpp"
#include "bench/foreign_network.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/network/link.hpp"
#include "runtime/process/hosts_run.hpp"
#include "runtime/settings/run_settings_file.hpp"

using namespace hearsay;

namespace {

struct Case {
  PeerId hosts;  // few on a fast wire: all of them compute on the cores of this machine
  const char* bandwidth;
  const char* delay;
  const char* name;
  const char* algorithm;
  int iterations;
};

constexpr Case cases[] = {
    {8, "10 Mbit/s", "5 ms", "D-PSGD", "kind = \"d-psgd\"", 8},
    {8, "10 Mbit/s", "5 ms", "DCD, 4 bit", "kind = \"dcd-psgd\", compressor = \"dither(linf, bits=4)\"", 50},
    {8, "10 Mbit/s", "5 ms", "CHOCO, 1 bit", "kind = \"choco-sgd\", compressor = \"sign\"", 150},
    {4, "100 Mbit/s", "20 ms", "D-PSGD", "kind = \"d-psgd\"", 40},
    {4, "100 Mbit/s", "20 ms", "DCD, 4 bit", "kind = \"dcd-psgd\", compressor = \"dither(linf, bits=4)\"",
     150},
    {4, "100 Mbit/s", "20 ms", "CHOCO, 1 bit", "kind = \"choco-sgd\", compressor = \"sign\"", 150},
};

/// What the process of peer 0 says.
struct Measured {
  double seconds;  // of an exchange
  std::uint64_t frame_bytes;
};

Experiment<float> experiment_of(const Case& the, const std::vector<std::string>& assignments) {
  const std::string iterations = std::to_string(the.iterations);
  return prepare<float>(parse_run(
      "run.iterations = " + iterations + "\nrun.evaluate_every = " + iterations +
          "\nmodel.kind = \"quadratic(272474)\"\ntopology = { kind = \"ring\", peers = " +
          std::to_string(the.hosts) + " }\nalgorithm = { " + the.algorithm + ", batch = \"full\" }\n",
      ".", assignments, "bench"));
}

void take_part(const Experiment<float>& experiment, PeerId id, Measured& measured) {
  Placement place;
  for (PeerId peer = 0; peer < experiment.peer_count(); ++peer)
    place.addresses.push_back("tcp://" + ForeignNetwork::address(peer) + ":7000");
  const auto end = run_hosts_peer(experiment, id, {}, {}, place);
  if (!end.outcome) return;
  if (end.outcome->status != RunStatus::done) std::printf("%s\n", end.outcome->reason.c_str());
  const auto& meters = end.outcome->peers[0].meters;
  measured = {end.outcome->evaluations.back().seconds / static_cast<double>(experiment.iterations),
              meters.bytes_sent / meters.messages_sent};
}

Measured train(const ForeignNetwork& network, const Experiment<float>& experiment) {
  void* const shared =
      mmap(nullptr, sizeof(Measured), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Measured& measured = *new (shared) Measured{};
  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (PeerId id = 0; id < experiment.peer_count(); ++id) {
    processes.push_back(fork());
    if (processes.back() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    network.host(id).enter();
    take_part(experiment, id, measured);
    std::fflush(nullptr);
    _exit(0);
  }
  for (const pid_t process : processes) waitpid(process, nullptr, 0);
  const Measured copy = measured;
  munmap(shared, sizeof(Measured));
  return copy;
}

void measure(const Case& the, const std::string& congestion, const std::string& queue,
             const std::vector<std::string>& assignments) {
  const ForeignNetwork::Wire wire{parse_bandwidth("bandwidth", the.bandwidth),
                                  parse_duration("delay", the.delay), parse_duration("--queue", queue)};
  const ForeignNetwork network(the.hosts, wire);
  if (!network.set_congestion_control(congestion)) {
    std::printf("skipped: %s (this kernel does not have it)\n", congestion.c_str());
    return;
  }
  const Measured its = train(network, experiment_of(the, assignments));
  const std::uint64_t dropped = network.dropped();
  const double bare =
      std::min(bare_tcp_exchange_seconds(network, the.hosts, its.frame_bytes, the.iterations, 1),
               bare_tcp_exchange_seconds(network, the.hosts, its.frame_bytes, the.iterations, 2));
  const double on_wire =
      2.0 * static_cast<double>(wire_bytes(Framing::ethernet, its.frame_bytes)) / wire.bandwidth.bytes_per_s;
  std::printf("%-11s %-6s %-8s %-13s %9llu %10.1f %10.1f %10.3f %10.3f %14.3f %9llu\n", the.bandwidth,
              the.delay, congestion.c_str(), the.name, static_cast<unsigned long long>(its.frame_bytes),
              1e3 * its.seconds, 1e3 * bare, bare / its.seconds, on_wire / its.seconds,
              (on_wire + seconds(wire.delay)) / its.seconds, static_cast<unsigned long long>(dropped));
  std::fflush(stdout);
}

bool has_all(const std::vector<std::string>& wanted, const std::vector<std::string>& words) {
  return std::ranges::all_of(wanted,
                             [&](const std::string& word) { return std::ranges::count(words, word) > 0; });
}

}  // namespace

int main(int argc, char** argv) {
  if (geteuid() != 0) {
    std::printf("skipped: a foreign wire (only root may make network namespaces)\n");
    return 0;
  }
  std::string queue = "10 ms";
  std::vector<std::string> only;
  std::vector<std::string> assignments;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--queue") == 0 && k + 1 < argc)
      queue = argv[++k];
    else if (std::strcmp(argv[k], "--only") == 0 && k + 1 < argc)
      only.push_back(argv[++k]);
    else
      assignments.push_back(argv[k]);
  }
  std::printf("%-11s %-6s %-8s %-13s %9s %10s %10s %10s %10s %14s %9s\n", "bandwidth", "delay", "TCP",
              "method", "bytes", "ms", "bare, ms", "of bare", "of wire", "of wire+delay", "dropped");
  for (const Case& the : cases)
    for (const char* congestion : {"cubic", "bbr"})
      if (has_all(only, {the.bandwidth, the.name, congestion})) measure(the, congestion, queue, assignments);
}
