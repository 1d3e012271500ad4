// How much of a wire that the kernel limits the transport uses: a ring of eight processes in network
// namespaces (root only), each of which sends a packet to both neighbors in every iteration; nothing is
// decoded. The efficiency is (bytes of the packets with their Ethernet, IP and TCP headers) / bandwidth /
// (measured time); 0.92 is wanted from 256 KiB on. A second figure counts all bytes that the kernel let
// through the limit, acknowledgements included: how full the wire was.

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "bench/exchange.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/network/link.hpp"
#include "runtime/process/local_run.hpp"

using namespace hearsay;

int main() {
  if (geteuid() != 0) {
    std::printf("skipped: wire efficiency (only root may make network namespaces)\n");
    return 0;
  }
  std::printf("%-12s %12s %6s %12s %12s %14s\n", "bandwidth", "packet", "iter.", "s/exchange", "efficiency",
              "wire in use");
  for (const auto& [bandwidth, seconds_each] : {std::pair("10 Mbit/s", 10.0), std::pair("100 Mbit/s", 5.0)})
    for (const std::size_t packet_kib : {64, 256, 1024, 4096}) {
      const double bytes_per_s = parse_bandwidth("bandwidth", bandwidth).bytes_per_s;
      const int iterations = std::max(
          3, static_cast<int>(seconds_each * bytes_per_s / (2.0 * 1024.0 * static_cast<double>(packet_kib))));
      const MethodInfo exchange = exchange_method();
      const auto experiment = exchange_experiment(exchange, packet_kib * 1024, iterations, bandwidth);
      const KernelNetwork network(experiment.settings, experiment.peer_count());
      const auto outcome = run_local(experiment, {}, &network);
      if (outcome.status != RunStatus::done) std::printf("%s\n", outcome.reason.c_str());
      const double time = outcome.evaluations.back().seconds;
      const auto in_use = [&](std::uint64_t bytes) {
        return static_cast<double>(bytes) / bytes_per_s / time;
      };
      const auto& meters = outcome.peers[0].meters;
      const std::uint64_t frame = meters.bytes_sent / meters.messages_sent;
      std::printf("%-12s %8zu KiB %6d %12.4f %12.3f %14.3f\n", bandwidth, packet_kib, iterations,
                  time / iterations, in_use(meters.messages_sent * wire_bytes(Framing::ethernet, frame)),
                  in_use(network.bytes_sent(0)));
      std::fflush(stdout);
    }
}
