#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <fstream>
#include <string>
#include <zmq.hpp>

#include "runtime/network/congestion.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlet.hpp"

namespace hearsay::test::congestion_of_sockets_test {

namespace {

/// Returns one that this process may use and that is not the system's; an empty text if there is none.
std::string another_congestion() {
  std::ifstream allowed("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
  for (std::string name; allowed >> name;)
    if (name != congestion_here("system")) return name;
  return {};
}

std::string in_kernel(int connection) {
  std::array<char, 16> name{};
  socklen_t length = name.size();
  REQUIRE(getsockopt(connection, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) == 0);
  return name.data();
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("congestion: both ends of a connection of ZeroMQ get the wanted one") {
    const std::string wanted = another_congestion();
    if (wanted.empty()) {
      MESSAGE("skipped: congestion control of sockets (this process may use only the system's)");
      return;
    }
    zmq::context_t context;
    zmq::socket_t router(context, zmq::socket_type::router);
    const std::string address =
        listen(context, router, {1 << 16, high_water_mark, 0, wanted}, "address", "tcp://127.0.0.1:*");
    zmq::socket_t dealer(context, zmq::socket_type::dealer);
    set_up_dealer(dealer, 1, 1 << 16, address, nullptr, 0);
    HandshakeWatch watch(false, wanted);
    watch.connect(context, dealer, "peer 0", address);
    CHECK(watch.congestion(0).empty());

    REQUIRE(dealer.send(zmq::str_buffer("word")));
    zmq::message_t route, word;
    REQUIRE(router.recv(route));
    REQUIRE(router.recv(word));
    CHECK(in_kernel(zmq_msg_get(word.handle(), ZMQ_SRCFD)) == wanted);
    watch.look(monotonic_now());  // ZeroMQ has told of the connection before it sent
    CHECK(watch.congestion(0) == wanted);
  }
}

}  // namespace hearsay::test::congestion_of_sockets_test
