#include "bench/bare_tcp.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <new>
#include <vector>

#include "runtime/zmq/clock.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::uint16_t port = 7000;

/// The memory that the processes share.
struct Board {
  std::atomic<PeerId> listening;
  std::atomic<double> seconds;  // of the slowest
};

/// One connection, and what still has to pass it.
struct Lane {
  int fd;
  bool sends;
  bool receives;
  std::size_t unsent = 0;
  std::size_t heard = 0;  // bytes since the beginning
};

sockaddr_in place_of(PeerId id) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  inet_pton(AF_INET, ForeignNetwork::address(id).c_str(), &place.sin_addr);
  return place;
}

int listen_at(PeerId id) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in place = place_of(id);
  ensure(bind(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0 && listen(fd, 8) == 0,
         "the port is free in a new namespace");
  return fd;
}

int connect_to(PeerId id) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in place = place_of(id);
  ensure(connect(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0, "the neighbor listens");
  return fd;
}

std::vector<Lane> connect_ring(int listener, PeerId self, PeerId hosts, int connections_per_link) {
  const PeerId next = (self + 1) % hosts, previous = (self + hosts - 1) % hosts;
  std::vector<Lane> lanes;
  if (connections_per_link == 1) {
    lanes.push_back({connect_to(next), true, true});
    lanes.push_back({accept(listener, nullptr, nullptr), true, true});
  } else {
    for (const PeerId to : {next, previous}) lanes.push_back({connect_to(to), true, false});
    for (int k = 0; k < 2; ++k) lanes.push_back({accept(listener, nullptr, nullptr), false, true});
  }
  const int on = 1;
  for (const Lane& lane : lanes) {
    fcntl(lane.fd, F_SETFL, O_NONBLOCK);
    setsockopt(lane.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return lanes;
}

/// Sends and receives what the connection takes and has.
void serve(Lane& lane, std::vector<char>& room) {
  while (lane.unsent > 0) {
    const ssize_t sent = send(lane.fd, room.data(), std::min(lane.unsent, room.size()), MSG_NOSIGNAL);
    if (sent <= 0) break;
    lane.unsent -= static_cast<std::size_t>(sent);
  }
  for (ssize_t got = 1; lane.receives && got > 0;) {
    got = recv(lane.fd, room.data(), room.size(), 0);
    if (got > 0) lane.heard += static_cast<std::size_t>(got);
  }
}

void exchange_once(std::vector<Lane>& lanes, std::size_t bytes, std::size_t until, std::vector<char>& room) {
  for (Lane& lane : lanes)
    if (lane.sends) lane.unsent += bytes;
  const auto is_over = [&] {
    return std::ranges::all_of(lanes,
                               [&](const Lane& lane) { return !lane.receives || lane.heard >= until; });
  };
  for (;;) {
    for (Lane& lane : lanes) serve(lane, room);
    if (is_over()) return;
    std::vector<pollfd> polled;
    for (const Lane& lane : lanes)
      polled.push_back({lane.fd, static_cast<short>((lane.unsent > 0 ? POLLOUT : 0) | POLLIN), 0});
    poll(polled.data(), polled.size(), -1);
  }
}

/// Sends what is left, and waits until the other sides have sent all, too.
void end(std::vector<Lane>& lanes, std::vector<char>& room) {
  for (Lane& lane : lanes) {
    fcntl(lane.fd, F_SETFL, 0);  // waits from here on
    lane.receives = false;
    while (lane.unsent > 0) serve(lane, room);
    shutdown(lane.fd, SHUT_WR);
  }
  for (const Lane& lane : lanes)
    while (recv(lane.fd, room.data(), room.size(), 0) > 0) continue;
}

void take_part(Board& board, PeerId self, PeerId hosts, std::size_t bytes, int iterations,
               int connections_per_link) {
  const int listener = listen_at(self);
  ++board.listening;
  while (board.listening < hosts) sched_yield();
  std::vector<Lane> lanes = connect_ring(listener, self, hosts, connections_per_link);
  std::vector<char> room(1 << 18);
  const Instant begin = monotonic_now();
  for (int k = 1; k <= iterations; ++k)
    exchange_once(lanes, bytes, bytes * static_cast<std::size_t>(k), room);
  const double own = seconds(monotonic_now() - begin) / iterations;
  for (double most = board.seconds; most < own && !board.seconds.compare_exchange_weak(most, own);) continue;
  end(lanes, room);
}

}  // namespace

double bare_tcp_exchange_seconds(const ForeignNetwork& network, PeerId hosts, std::size_t bytes,
                                 int iterations, int connections_per_link) {
  void* const shared =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ensure(shared != MAP_FAILED, "a page is to be had");
  Board& board = *new (shared) Board{};
  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (PeerId self = 0; self < hosts; ++self) {
    const pid_t process = fork();
    ensure(process >= 0, "a process for each host is to be had");
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      network.host(self).enter();
      take_part(board, self, hosts, bytes, iterations, connections_per_link);
      _exit(0);
    }
    processes.push_back(process);
  }
  bool failed = false;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    failed |= status != 0;
  }
  const double seconds = failed ? 0.0 : board.seconds.load();
  munmap(shared, sizeof(Board));
  return seconds;
}

}  // namespace hearsay
