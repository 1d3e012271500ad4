#include "bench/rivals/bare_zmq.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <new>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "runtime/wire/frame.hpp"
#include "runtime/zmq/outlet.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::size_t peers = 8;

/// The memory that the processes share.
struct Board {
  std::array<std::array<char, 64>, peers> addresses;
  std::atomic<std::size_t> listening;
  double seconds;
};

void exchange(Board& board, std::size_t self, std::size_t message_bytes, int iterations) {
  using Clock = std::chrono::steady_clock;
  constexpr int before_it_counts = 50;
  std::vector<std::byte> payload(message_bytes,
                                 std::byte{1});  // outlives the sockets, which send it without a copy
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind("tcp://127.0.0.1:*");
  std::snprintf(board.addresses[self].data(), board.addresses[self].size(), "%s",
                router.get(zmq::sockopt::last_endpoint).c_str());
  ++board.listening;
  while (board.listening < peers) sched_yield();

  std::vector<zmq::socket_t> dealers;
  for (const std::size_t neighbor : {(self + 1) % peers, (self + peers - 1) % peers}) {
    zmq::socket_t& dealer = dealers.emplace_back(context, zmq::socket_type::dealer);
    dealer.set(zmq::sockopt::sndbuf, loopback_send_buffer_bytes);
    dealer.set(zmq::sockopt::routing_id, std::string(1, static_cast<char>('A' + self)));
    dealer.connect(board.addresses[neighbor].data());
  }
  const std::array<std::byte, header_bytes> header{};
  std::array<int, peers> heard{};  // messages of each neighbor; a neighbor may be one iteration ahead
  const std::array<int*, 2> neighbors = {&heard[(self + 1) % peers], &heard[(self + peers - 1) % peers]};
  Clock::time_point begin;
  for (int k = 0; k < before_it_counts + iterations; ++k) {
    if (k == before_it_counts) begin = Clock::now();
    for (zmq::socket_t& dealer : dealers) {
      dealer.send(zmq::buffer(header), zmq::send_flags::sndmore);
      dealer.send(zmq::message_t(payload.data(), payload.size(), [](void*, void*) {}), zmq::send_flags::none);
    }
    while (*neighbors[0] <= k || *neighbors[1] <= k) {
      zmq::message_t from;
      zmq::message_t part;
      for (zmq::message_t* const each : {&from, &part, &part})
        ensure(router.recv(*each).has_value(), "a wait without a limit ends with a message");
      ++heard[static_cast<std::size_t>(*from.data<char>() - 'A')];
    }
  }
  if (self == 0) board.seconds = std::chrono::duration<double>(Clock::now() - begin).count() / iterations;
}

}  // namespace

double bare_zmq_exchange_seconds(std::size_t message_bytes, int iterations) {
  void* const shared =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ensure(shared != MAP_FAILED, "a page is to be had");
  Board& board = *new (shared) Board{};
  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (std::size_t self = 0; self < peers; ++self) {
    const pid_t process = fork();
    ensure(process >= 0, "eight processes are to be had");
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      exchange(board, self, message_bytes, iterations);
      _exit(0);
    }
    processes.push_back(process);
  }
  bool failed = false;
  while (!processes.empty()) {
    int status = 0;
    std::erase(processes, wait(&status));
    if (status != 0 && !std::exchange(failed, true))
      for (const pid_t process : processes) kill(process, SIGKILL);
  }
  if (failed) board.seconds = 0.0;
  const double seconds = board.seconds;
  munmap(shared, sizeof(Board));
  return seconds;
}

}  // namespace hearsay
