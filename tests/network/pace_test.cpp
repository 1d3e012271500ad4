#include "runtime/network/pace.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlet.hpp"
#include "tests/support/network_namespaces.hpp"

namespace hearsay::test::pace_test {

namespace {

constexpr std::uint64_t unpaced = std::numeric_limits<std::uint64_t>::max();

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

/// Returns the paces of all sockets of this process that are paced, in bytes per second.
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
  return paces;
}

}  // namespace

TEST_CASE("pace: connections that send at once share the wire, with their headers and acknowledgements") {
  const Bandwidth port{1'250'000.0};
  for (const std::size_t at_once : {1u, 2u, 5u}) {
    const double payload_per_s = static_cast<double>(at_once) * paced_share(port, at_once).bytes_per_s;
    const double frames_per_s = payload_per_s / 1448.0;
    CHECK(frames_per_s * (1514.0 + 66.0 / 2.0) == doctest::Approx(port.bytes_per_s).epsilon(1e-12));
  }
  CHECK(paced_share(port, 0) == paced_share(port, 1));
  CHECK(paced_share({}, 3).unlimited());
}

TEST_SUITE("net") {
  TEST_CASE("pace: a connection to another host is paced, and none within a machine") {
    if (skipped_without_namespaces("the pace of connections")) return;
    const NetworkNamespaces hosts(2);
    const FileDescriptor listener(hosts.listen(1, 7000));
    std::uint64_t between_hosts = 0, without_a_pace = 0, on_one_host = 0;
    std::thread([&] {
      hosts.enter(0)();
      between_hosts = pace_to(hosts.address(1), {584'000.0});
      without_a_pace = pace_to(hosts.address(1), {});
    }).join();
    std::thread([&] {
      hosts.enter(1)();
      on_one_host = pace_to(hosts.address(1), {584'000.0});
    }).join();
    CHECK(between_hosts == 584'000);
    CHECK(without_a_pace == unpaced);
    CHECK(on_one_host == unpaced);
  }

  TEST_CASE("pace: a connection of ZeroMQ to another host gets it, and the one that accepts it does not") {
    if (skipped_without_namespaces("the pace of connections of ZeroMQ")) return;
    const NetworkNamespaces hosts(2);
    const std::string address = "tcp://" + hosts.address(1) + ":7000";
    zmq::context_t there;
    zmq::socket_t router(there, zmq::socket_type::router);
    std::thread([&] {
      hosts.enter(1)();
      listen(there, router, {1 << 16, high_water_mark, 0, "system"}, "address", address);
    }).join();
    std::thread([&] {
      hosts.enter(0)();
      zmq::context_t here;
      zmq::socket_t dealer(here, zmq::socket_type::dealer);
      set_up_dealer(dealer, 1, 1 << 16, address, nullptr, 0);
      HandshakeWatch watch(false, "system", {584'000.0});
      watch.connect(here, dealer, "peer 0", address);
      REQUIRE(dealer.send(zmq::str_buffer("word")));
      zmq::message_t route, word;
      REQUIRE(router.recv(route));
      REQUIRE(router.recv(word));
      watch.look(monotonic_now());  // ZeroMQ has told of the connection before it sent
      CHECK(paces_here() == std::vector<std::uint64_t>{584'000});
    }).join();
  }
}

}  // namespace hearsay::test::pace_test
