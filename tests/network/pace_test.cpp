#include "runtime/network/pace.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlet.hpp"
#include "tests/support/network_namespaces.hpp"

namespace hearsay::test::pace_test {

namespace {

std::uint64_t in_kernel(const FileDescriptor& socket) {
  std::uint64_t bytes_per_s = 0;
  socklen_t length = sizeof bytes_per_s;
  REQUIRE(getsockopt(socket.number(), SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s, &length) == 0);
  return bytes_per_s;
}

/// Returns the pace of a connection to this address that is paced at `rate`.
std::uint64_t pace_to(const std::string& address, Bandwidth rate) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(7000);
  REQUIRE(inet_pton(AF_INET, address.c_str(), &place.sin_addr) == 1);
  const FileDescriptor caller(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(connect(caller.number(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
  pace(caller.number(), rate);
  return in_kernel(caller);
}

/// Returns the paces of all sockets of this process that are paced, in bytes per second, ascending.
std::vector<std::uint64_t> paces_here() {
  std::vector<std::uint64_t> paces;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::uint64_t bytes_per_s = std::numeric_limits<std::uint64_t>::max();
    socklen_t length = sizeof bytes_per_s;
    const int file = std::stoi(entry.path().filename());
    if (getsockopt(file, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s, &length) == 0 &&
        bytes_per_s != std::numeric_limits<std::uint64_t>::max())
      paces.push_back(bytes_per_s);
  }
  std::ranges::sort(paces);
  return paces;
}

}  // namespace

TEST_CASE("pace: connections leave room on the wire for headers and acknowledgements") {
  const Bandwidth port{1'250'000.0};
  const double frames_per_s = payload_rate(port).bytes_per_s / 1448.0;
  CHECK(frames_per_s * (1514.0 + 66.0 / 2.0) == doctest::Approx(port.bytes_per_s).epsilon(1e-12));
  CHECK(payload_rate({}).unlimited());
}

TEST_SUITE("net") {
  TEST_CASE("pace: the kernel keeps to the rate of a connection") {
    if (skipped_without_namespaces("the pace of connections")) return;
    const NetworkNamespaces hosts(2);
    const FileDescriptor listener(hosts.listen(1, 7000));
    std::thread([&] {
      hosts.enter(0)();
      CHECK(pace_to(hosts.address(1), {584'000.0}) == 584'000);
    }).join();
  }

  TEST_CASE(
      "pace: connections to other hosts share the port while they send, and none within a machine does") {
    if (skipped_without_namespaces("the pace of connections of ZeroMQ")) return;
    constexpr std::size_t others = 2;  // on a host of their own; the third one is on the host of the sender
    const NetworkNamespaces hosts(2);
    const auto address_of = [&](std::size_t place) {
      return "tcp://" + hosts.address(place < others ? 1 : 0) + ":" + std::to_string(7000 + place);
    };
    zmq::context_t there;
    std::deque<zmq::socket_t> routers;
    for (std::size_t place = 0; place <= others; ++place)
      std::thread([&] {
        hosts.enter(place < others ? 1 : 0)();
        listen(there, routers.emplace_back(there, zmq::socket_type::router),
               {1 << 16, high_water_mark, 0, "system"}, "address", address_of(place));
      }).join();
    std::thread([&] {
      hosts.enter(0)();
      zmq::context_t here;
      const Bandwidth port{1'250'000.0};
      HandshakeWatch watch(false, "auto", port);
      std::deque<zmq::socket_t> dealers;
      for (std::size_t place = 0; place <= others; ++place) {
        zmq::socket_t& dealer = dealers.emplace_back(here, zmq::socket_type::dealer);
        set_up_dealer(dealer, 1, 1 << 16, address_of(place), nullptr, 0);
        watch.connect(here, dealer, "peer 0", address_of(place));
        REQUIRE(dealer.send(zmq::str_buffer("word")));
        zmq::message_t route, word;
        REQUIRE(routers[place].recv(route));
        REQUIRE(routers[place].recv(word));
      }
      const Instant now = monotonic_now();
      watch.look(now);  // ZeroMQ has told of the connections before it sent
      CHECK(paces_here().empty());
      CHECK(watch.congestion(0) == congestion_here("auto", true));
      const auto whole = static_cast<std::uint64_t>(payload_rate(port).bytes_per_s);

      watch.gives(others, 1'000'000, now);
      watch.pace_connections(now);
      CHECK(paces_here().empty());
      CHECK(watch.next_pace() == Instant::max());

      watch.gives(0, 1'000'000, now);
      watch.pace_connections(now);
      CHECK(paces_here() == std::vector{whole});
      CHECK(watch.congestion(0) == congestion_here("auto", true) + ", paced");
      watch.gives(1, 500'000, now);
      watch.pace_connections(now);
      CHECK(paces_here() == std::vector{whole / 2, whole / 2});
      // The second one has sent all, and keeps the share that it had.
      watch.pace_connections(watch.next_pace());
      CHECK(paces_here() == std::vector{whole / 2, whole});
      watch.gives(1, 500'000, now + std::chrono::hours(1));
      watch.pace_connections(now + std::chrono::hours(1));
      CHECK(paces_here() == std::vector{whole, whole});
    }).join();
  }
}

}  // namespace hearsay::test::pace_test
