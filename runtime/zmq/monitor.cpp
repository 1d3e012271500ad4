#include "runtime/zmq/monitor.hpp"

#include <cstdint>
#include <cstring>

#include "runtime/zmq/despite_signals.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr int failures = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                         ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

/// Reads the first part of an event: its number (16 bits) and its value (32 bits), in the byte order of the
/// machine.
FailedHandshake failed_handshake_of(const zmq::message_t& event) {
  std::uint16_t number = 0;
  std::uint32_t value = 0;
  ensure(event.size() == sizeof number + sizeof value, "an event of ZeroMQ is six bytes long");
  std::memcpy(&number, event.data(), sizeof number);
  std::memcpy(&value, event.data<std::byte>() + sizeof number, sizeof value);
  if (number == ZMQ_EVENT_CONNECT_RETRIED) return FailedHandshake::unreached;
  if (number == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) return FailedHandshake::refused;
  if (number == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) return FailedHandshake::broken_off;
  return value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? FailedHandshake::keyless
                                                             : FailedHandshake::wrong_protocol;
}

}  // namespace

Monitor::Monitor(zmq::context_t& context, zmq::socket_t& watched, const std::string& name, Attempts attempts)
    : watched_(watched.handle()), events_(context, zmq::socket_type::pair) {
  const std::string endpoint = "inproc://" + name;
  const int events = failures | (attempts == Attempts::told ? ZMQ_EVENT_CONNECT_RETRIED : 0);
  ensure(zmq_socket_monitor(watched_, endpoint.c_str(), events) == 0, "a socket can be watched once");
  events_.connect(endpoint);
}

// Ends the watch before `events_` is closed; otherwise ZeroMQ would wait for a reader that is gone.
Monitor::~Monitor() { zmq_socket_monitor(watched_, nullptr, 0); }

std::optional<Monitor::Report> Monitor::next() {
  zmq::message_t event;
  zmq::message_t place;
  if (!despite_signals([&] { return events_.recv(event, zmq::recv_flags::dontwait); })) return std::nullopt;
  if (!event.more() || !despite_signals([&] { return events_.recv(place); })) return std::nullopt;
  return Report{failed_handshake_of(event), place.to_string()};
}

}  // namespace hearsay
