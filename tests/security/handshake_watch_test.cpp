#include "runtime/zmq/handshake_watch.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/zmq/outlet.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"

namespace hearsay::test::handshake_watch_test {

using namespace std::chrono_literals;

namespace {

/// Listens at a port of loopback, in the place of a peer, and ends connections without a word.
class MuteServer {
 public:
  MuteServer() : address_(free_address()), listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address_.substr(address_.rfind(':') + 1))));
    REQUIRE(bind(listening_.number(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
    REQUIRE(listen(listening_.number(), 1) == 0);
  }

  const std::string& address() const { return address_; }
  /// Waits for the next connection. The one before is ended first.
  void accept_next() {
    connection_.close();
    connection_ = FileDescriptor(accept(listening_.number(), nullptr, nullptr));
    REQUIRE(connection_);
  }

 private:
  std::string address_;
  FileDescriptor listening_;
  FileDescriptor connection_;
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("handshake watch: who breaks off once, as one that is killed does, is not said to want a key") {
    MuteServer server;
    zmq::context_t context;
    zmq::socket_t dealer(context, zmq::socket_type::dealer);
    HandshakeWatch watch(false, "auto");
    set_up_dealer(dealer, 1, 1 << 16, server.address(), nullptr, 0);
    watch.connect(context, dealer, "peer 1", server.address());
    dealer.set(zmq::sockopt::linger, 0);
    server.accept_next();
    server.accept_next();  // ZeroMQ has told that the first one was broken off before it connects again
    CHECK(!watch.look(Instant(1s)).doubt);
    server.accept_next();
    const HandshakeWatch::News news = watch.look(Instant(2s));
    REQUIRE(news.doubt);
    CHECK(*news.doubt == "; peer 1 breaks connections off: does it let nobody in without a key?");
    server.accept_next();
    CHECK(!watch.look(Instant(3s)).doubt);
  }
}

}  // namespace hearsay::test::handshake_watch_test
