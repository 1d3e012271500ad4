#include "runtime/zmq/outlet.hpp"

#include "runtime/cluster/address.hpp"
#include "runtime/zmq/despite_signals.hpp"
#include "runtime/zmq/zap_server.hpp"

namespace hearsay {

void set_up_dealer(zmq::socket_t& dealer, PeerId self, std::size_t payload_limit_bytes,
                   const std::string& address, const SharedCredentials& credentials, PeerId server) {
  dealer.set(zmq::sockopt::linger, last_words_linger_ms);
  dealer.set(zmq::sockopt::routing_id, new_routing_id(self));
  dealer.set(zmq::sockopt::sndhwm, high_water_mark);
  if (Address::parse(address).is_loopback()) dealer.set(zmq::sockopt::sndbuf, loopback_send_buffer_bytes);
  dealer.set(zmq::sockopt::reconnect_ivl, 20);  // ms; short, since peers may start in any order
  dealer.set(zmq::sockopt::reconnect_ivl_max, 100);
  dealer.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(payload_limit_bytes));
  secure_client(dealer, credentials, server);
}

Outlet::Outlet(zmq::context_t& context, Destination destination)
    : id(destination.id),
      address(std::move(destination.address)),
      link(std::move(destination.link)),
      socket(context, zmq::socket_type::dealer) {}

void Outlet::send(const FrameHeader& header, const PacketPart& packet) {
  may_be_ready = true;
  if (!backlog_.empty() || !send_packet(socket, header, packet)) backlog_.emplace_back(header, packet);
}

// ZMQ_EVENTS makes ZeroMQ process its news of both directions, so a frame may have been received.
bool Outlet::send_backlog() {
  if (backlog_.empty()) return false;
  const int ready = despite_signals([this] { return socket.get(zmq::sockopt::events); });
  if ((ready & ZMQ_POLLOUT) == 0) return (ready & ZMQ_POLLIN) != 0;
  while (!backlog_.empty()) {
    const auto& [header, packet] = backlog_.front();
    if (!send_packet(socket, header, packet)) break;
    backlog_.pop_front();
  }
  return true;
}

void Outlet::say(const FrameHeader& header, std::span<const std::byte> payload) {
  if (header.kind == FrameKind::alive && !backlog_.empty()) return;
  if (header.kind == FrameKind::hello) backlog_.clear();
  may_be_ready = true;
  send_frame(socket, {}, header, payload);
}

}  // namespace hearsay
