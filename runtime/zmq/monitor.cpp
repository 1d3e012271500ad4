#include "runtime/zmq/monitor.hpp"

#include <linux/sockios.h>
#include <linux/tcp.h>  // <netinet/tcp.h> has an older tcp_info
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/zmq/despite_signals.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr int failures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                         ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

constexpr int connections = ZMQ_EVENT_LISTENING | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED;

struct Event {
  std::uint16_t number = 0;
  std::uint32_t value = 0;
};

/// Reads the first part of an event, in the byte order of the machine.
Event event_of(const zmq::message_t& part) {
  Event event;
  ensure(part.size() == sizeof event.number + sizeof event.value, "an event of ZeroMQ is six bytes long");
  std::memcpy(&event.number, part.data(), sizeof event.number);
  std::memcpy(&event.value, part.data<std::byte>() + sizeof event.number, sizeof event.value);
  return event;
}

FailedHandshake failed_handshake_of(const Event& event) {
  if (event.number == ZMQ_EVENT_CONNECT_RETRIED) return FailedHandshake::unreached;
  if (event.number == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) return FailedHandshake::refused;
  if (event.number == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) return FailedHandshake::broken_off;
  return event.value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? FailedHandshake::keyless
                                                                   : FailedHandshake::wrong_protocol;
}

/// Returns an endpoint that no other monitor of this process has had: that of one which is gone may be taken
/// for a moment.
std::string unused_endpoint() {
  static std::atomic<std::uint64_t> monitors = 0;
  return "inproc://monitor." + std::to_string(++monitors);
}

}  // namespace

Monitor::Monitor(zmq::context_t& context, zmq::socket_t& watched, Attempts attempts,
                 OnConnection on_connection)
    : watched_(watched.handle()),
      events_(context, zmq::socket_type::pair),
      on_connection_(std::move(on_connection)) {
  const std::string endpoint = unused_endpoint();
  const int events = failures | connections | (attempts == Attempts::told ? ZMQ_EVENT_CONNECT_RETRIED : 0);
  ensure(zmq_socket_monitor(watched_, endpoint.c_str(), events) == 0, "a socket can be watched once");
  events_.connect(endpoint);
}

// Ends the watch before `events_` is closed; otherwise ZeroMQ would wait for a reader that is gone.
Monitor::~Monitor() { zmq_socket_monitor(watched_, nullptr, 0); }

std::optional<Monitor::Report> Monitor::next() {
  zmq::message_t part;
  zmq::message_t place;
  while (despite_signals([&] { return events_.recv(part, zmq::recv_flags::dontwait); })) {
    if (!part.more() || !despite_signals([&] { return events_.recv(place); })) return std::nullopt;
    const Event event = event_of(part);
    if (event.number == ZMQ_EVENT_LISTENING)
      on_connection_(static_cast<int>(event.value));
    else if (event.number == ZMQ_EVENT_CONNECTED)
      on_connection_(connection_ = static_cast<int>(event.value));
    else if (event.number == ZMQ_EVENT_DISCONNECTED)
      connection_ = no_connection;
    else
      return Report{failed_handshake_of(event), place.to_string()};
  }
  return std::nullopt;
}

std::uint64_t Monitor::unsent_bytes() const {
  int bytes = 0;
  if (connection_ == no_connection || ioctl(connection_, SIOCOUTQNSD, &bytes) != 0) return 0;
  return static_cast<std::uint64_t>(bytes);
}

std::optional<std::uint64_t> Monitor::delivered_bytes() const {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (connection_ == no_connection || getsockopt(connection_, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
      length < offsetof(tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked)
    return std::nullopt;
  return info.tcpi_bytes_acked + std::uint64_t{info.tcpi_sacked} * info.tcpi_snd_mss;
}

}  // namespace hearsay
