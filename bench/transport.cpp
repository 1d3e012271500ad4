// The cost of the transport: a ring of eight processes, each of which sends a packet of 1 MiB to both
// neighbors in every iteration. Checksums are on; nothing is decoded. Beside it, in the same run, two
// processes send messages of the same size over a bare pair of ZeroMQ sockets, DEALER to ROUTER. Prints the
// payload bytes received per second (summed over the eight) and the ratio.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>
#include <zmq.hpp>

#include "bench/exchange.hpp"
#include "runtime/process/local_run.hpp"

using namespace hearsay;

namespace {

constexpr std::size_t packet_bytes = 1 << 20;

double ring_bytes_per_s(int iterations) {
  const MethodInfo exchange = exchange_method();
  const auto outcome = run_local(exchange_experiment(exchange, packet_bytes, iterations));
  return 8.0 * 2.0 * iterations * static_cast<double>(packet_bytes) / outcome.evaluations.back().seconds;
}

/// Returns the bytes per second from one process that sends to one that only counts; 0 if no pipe could be
/// made.
double bare_pair_bytes_per_s(int messages) {
  int ends[2];
  if (pipe(ends) != 0) return 0.0;
  const pid_t sender = fork();
  if (sender == 0) {
    char address[64] = {};
    if (read(ends[0], address, sizeof address) <= 0) _exit(1);
    zmq::context_t context;
    zmq::socket_t dealer(context, zmq::socket_type::dealer);
    dealer.connect(address);
    const std::vector<std::byte> payload(packet_bytes, std::byte{1});
    for (int k = 0; k < messages + 1; ++k) {
      zmq::message_t shared(const_cast<std::byte*>(payload.data()), payload.size(), [](void*, void*) {});
      dealer.send(shared, zmq::send_flags::none);
    }
    dealer.close();
    context.close();
    _exit(0);
  }
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind("tcp://127.0.0.1:*");
  const std::string address = router.get(zmq::sockopt::last_endpoint);
  if (write(ends[1], address.data(), address.size()) < 0) return 0.0;
  std::chrono::steady_clock::time_point begin;
  for (int k = 0; k < messages + 1; ++k) {
    zmq::message_t identity, payload;
    if (!router.recv(identity) || !router.recv(payload)) return 0.0;
    if (k == 0) begin = std::chrono::steady_clock::now();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  waitpid(sender, nullptr, 0);
  return messages * static_cast<double>(packet_bytes) / took.count();
}

}  // namespace

int main() {
  // The two take turns, five times; the medians are compared.
  std::vector<double> ring, bare;
  for (int repetition = 0; repetition < 5; ++repetition) {
    ring.push_back(ring_bytes_per_s(150));
    bare.push_back(bare_pair_bytes_per_s(2400));
  }
  std::sort(ring.begin(), ring.end());
  std::sort(bare.begin(), bare.end());
  std::printf("transport   ring of 8 processes, 1 MiB packets: %6.2f GB/s received, all together\n",
              ring[2] / 1e9);
  std::printf("            bare DEALER to ROUTER pair:         %6.2f GB/s\n", bare[2] / 1e9);
  std::printf("            ratio %.2f (wanted: 0.60)\n", ring[2] / bare[2]);
}
