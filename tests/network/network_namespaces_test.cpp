#include "tests/support/network_namespaces.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/process.hpp"

namespace hearsay::test::network_namespaces_test {

namespace {

/// Returns true if host `from` can connect to a port of host `to` within `patience_ms`. The first SYN may be
/// lost while a cable comes up; the kernel sends the next ones after 1 and 3 s.
bool reaches(const NetworkNamespaces& network, std::size_t from, std::size_t to, int port,
             int patience_ms = 10'000) {
  const Process caller([&] {
    network.enter(from)();
    const int call = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, network.address(to).c_str(), &at.sin_addr);
    connect(call, reinterpret_cast<sockaddr*>(&at), sizeof at);
    pollfd polled{call, POLLOUT, 0};
    const bool answered = poll(&polled, 1, patience_ms) > 0 && (polled.revents & (POLLERR | POLLHUP)) == 0;
    return Ended{answered ? 0 : 1, {}};
  });
  return caller.join().exit_code == 0;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "network namespaces: hosts reach each other, not with the cable pulled, and again with it plugged in") {
    if (skipped_without_namespaces("network namespaces")) return;
    const NetworkNamespaces network(3);
    const int listener = network.listen(2, 7000);
    CHECK(reaches(network, 0, 2, 7000));
    CHECK_FALSE(reaches(network, 0, 1, 7000));  // nobody listens on that port
    CHECK(network.traffic(2).bytes_received > 0);
    network.set_link(2, false);
    CHECK_FALSE(reaches(network, 0, 2, 7000, 500));
    network.set_link(2, true);
    CHECK(reaches(network, 1, 2, 7000));
    close(listener);
  }

  TEST_CASE("network namespaces: what a limited host sends passes the kernel's token bucket") {
    if (skipped_without_namespaces("limited bandwidth")) return;
    const NetworkNamespaces network(2);
    const int listener = network.listen(1, 7000);
    CHECK(network.limited_bytes(0) == 0);
    network.limit_bandwidth(0, "1mbit");
    const std::uint64_t before = network.limited_bytes(0);
    CHECK(reaches(network, 0, 1, 7000));
    CHECK(network.limited_bytes(0) > before);
    close(listener);
  }

  TEST_CASE("network namespaces: a host knows its processes, and they end with it") {
    if (skipped_without_namespaces("processes of namespaces")) return;
    std::array<int, 2> said{};
    REQUIRE(pipe(said.data()) == 0);
    const Process* idle = nullptr;
    {
      const NetworkNamespaces network(2);
      idle = new Process([&] {
        network.enter(1)();
        [[maybe_unused]] const auto written = write(said[1], "x", 1);
        pause();
        return Ended{0, {}};
      });
      char word = 0;
      REQUIRE(read(said[0], &word, 1) == 1);
      CHECK(network.processes(0).empty());
      CHECK(network.processes(1) == std::vector<pid_t>{idle->pid()});
    }
    CHECK(idle->join().exit_code == -1);  // killed
    delete idle;
    close(said[0]);
    close(said[1]);
  }
}

}  // namespace hearsay::test::network_namespaces_test
