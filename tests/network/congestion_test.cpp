#include "runtime/network/congestion.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/network_namespaces.hpp"

namespace hearsay::test::congestion_test {

namespace {

FileDescriptor tcp_socket() { return FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

std::string in_kernel(const FileDescriptor& socket) {
  std::array<char, 16> name{};
  socklen_t length = name.size();
  REQUIRE(getsockopt(socket.number(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) == 0);
  return name.data();
}

sockaddr_in place(const std::string& address, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  REQUIRE(inet_pton(AF_INET, address.c_str(), &place.sin_addr) == 1);
  return place;
}

const sockaddr* generic(const sockaddr_in& place) { return reinterpret_cast<const sockaddr*>(&place); }

std::string names(const std::string& file) {
  std::ifstream in("/proc/sys/net/ipv4/" + file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

TEST_CASE("congestion: a named one is set, and the system's is left as it is") {
  const FileDescriptor socket = tcp_socket();
  const std::string before = in_kernel(socket);
  CHECK(set_congestion(socket.number(), "system") == before);
  CHECK(before == names("tcp_congestion_control"));
  CHECK(set_congestion(socket.number(), "reno") == "reno");  // every process may have it
  CHECK(in_kernel(socket) == "reno");
  CHECK(set_congestion(socket.number(), "system") == "reno");
}

TEST_CASE("congestion: \"auto\" takes reno on one host, also for the connections that a socket accepts") {
  const FileDescriptor listener = tcp_socket();
  const sockaddr_in here = place("127.0.0.1", 0);
  REQUIRE(bind(listener.number(), generic(here), sizeof here) == 0);
  REQUIRE(listen(listener.number(), 1) == 0);
  CHECK(set_congestion(listener.number(), "auto") == "reno");
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  REQUIRE(getsockname(listener.number(), reinterpret_cast<sockaddr*>(&bound), &length) == 0);
  const FileDescriptor caller = tcp_socket();
  REQUIRE(connect(caller.number(), generic(bound), sizeof bound) == 0);
  CHECK(set_congestion(caller.number(), "auto") == "reno");
  const FileDescriptor accepted(accept(listener.number(), nullptr, nullptr));
  CHECK(in_kernel(accepted) == "reno");
}

TEST_CASE("congestion: what is no TCP socket, or none any more, is passed over") {
  const FileDescriptor file("/dev/null", O_RDONLY);
  CHECK(set_congestion(file.number(), "auto").empty());
  CHECK(set_congestion(-1, "auto").empty());
}

TEST_CASE("congestion: one sentence names what the kernel has instead") {
  const std::string text = misuse_text([] { congestion_here("cubik"); });
  CHECK(text ==
        "network.congestion = cubik: this kernel does not have it; expected \"auto\", \"system\", or "
        "one of net.ipv4.tcp_available_congestion_control: " +
            names("tcp_available_congestion_control"));
}

TEST_SUITE("net") {
  TEST_CASE("congestion: \"auto\" takes bbr to another host where the kernel permits it") {
    if (skipped_without_namespaces("congestion control between hosts")) return;
    const NetworkNamespaces hosts(2);
    const FileDescriptor listener(hosts.listen(1, 7000));
    std::string between_hosts, on_one_host;
    std::thread([&] {
      hosts.enter(0)();
      const sockaddr_in other = place(hosts.address(1), 7000);
      const FileDescriptor caller = tcp_socket();
      REQUIRE(connect(caller.number(), generic(other), sizeof other) == 0);
      set_congestion(caller.number(), "auto");
      between_hosts = in_kernel(caller);
    }).join();
    std::thread([&] {
      hosts.enter(1)();
      const sockaddr_in own = place(hosts.address(1), 7000);
      const FileDescriptor caller = tcp_socket();
      REQUIRE(connect(caller.number(), generic(own), sizeof own) == 0);
      set_congestion(caller.number(), "auto");
      on_one_host = in_kernel(caller);
    }).join();
    const bool has_bbr = names("tcp_available_congestion_control").find("bbr") != std::string::npos;
    CHECK(between_hosts == (has_bbr ? "bbr" : names("tcp_congestion_control")));
    CHECK(on_one_host == "reno");
  }
}

}  // namespace hearsay::test::congestion_test
