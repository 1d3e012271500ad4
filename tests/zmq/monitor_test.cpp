#include "runtime/zmq/monitor.hpp"

#include <doctest/doctest.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/zmq/clock.hpp"

namespace hearsay::monitor_test {

namespace {

using namespace std::chrono_literals;

/// Reads the news of a monitor until `holds`, for ten seconds at most. Returns whether it came to hold.
template <class Condition>
bool comes_true(Monitor& monitor, Condition holds) {
  const Instant deadline = monotonic_now() + 10s;
  do {
    while (monitor.next()) continue;
    if (holds()) return true;
    poll(nullptr, 0, 1);
  } while (monotonic_now() < deadline);
  return false;
}

}  // namespace

TEST_CASE(
    "monitor: it knows what the kernel has not sent, until the receiver reads it or the connection ends") {
  zmq::context_t context;
  std::optional<zmq::socket_t> router(std::in_place, context, zmq::socket_type::router);
  router->set(zmq::sockopt::rcvhwm, 1);
  router->set(zmq::sockopt::rcvbuf, 1 << 16);
  router->bind("tcp://127.0.0.1:*");

  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.set(zmq::sockopt::linger, 0);
  dealer.set(zmq::sockopt::sndbuf, 1 << 16);
  Monitor monitor(context, dealer);
  CHECK(monitor.unsent_bytes() == 0);  // not connected
  dealer.connect(router->get(zmq::sockopt::last_endpoint));
  const std::vector<std::byte> message(1 << 20);
  constexpr int messages = 8;
  for (int k = 0; k < messages; ++k) dealer.send(zmq::buffer(message), zmq::send_flags::none);
  CHECK(comes_true(monitor, [&] { return monitor.unsent_bytes() > 0; }));

  for (int k = 0; k < 2 * messages; ++k) {  // two parts each: the route, and the message
    zmq::message_t part;
    CHECK(router->recv(part));
  }
  CHECK(comes_true(monitor, [&] { return monitor.unsent_bytes() == 0; }));

  for (int k = 0; k < messages; ++k) dealer.send(zmq::buffer(message), zmq::send_flags::none);
  CHECK(comes_true(monitor, [&] { return monitor.unsent_bytes() > 0; }));
  router->set(zmq::sockopt::linger, 0);
  router.reset();
  CHECK(comes_true(monitor, [&] { return monitor.unsent_bytes() == 0; }));
}

}  // namespace hearsay::monitor_test
