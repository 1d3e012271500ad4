#include "runtime/zmq/outlets.hpp"

#include <algorithm>
#include <utility>

#include "runtime/wire/frame.hpp"
#include "runtime/wire/words_to_neighbor.hpp"
#include "runtime/zmq/clock.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

Outlets::~Outlets() {
  while (order_) {
    const auto message = order_->next();
    if (!message) return;
    put(*message, monotonic_now());
  }
}

void Outlets::connect(zmq::context_t& context, const SocketInput& input,
                      std::vector<Destination> destinations) {
  if (input.oldest_first) order_.emplace(destinations.size());
  outlets_.reserve(destinations.size());  // what dials for a socket knows it by its address
  for (Destination& destination : destinations) {
    Outlet& outlet = outlets_.emplace_back(context, std::move(destination));
    set_up_dealer(outlet.socket, input.self, input.payload_limit_bytes, outlet.address, input.credentials,
                  outlet.id);
    handshakes_.connect(context, outlet.socket, outlet.name(), outlet.address);
  }
}

void Outlets::send(const PeerFrame& word) {
  const std::size_t place = place_of(word.to);
  if (!order_) return send({place, word.header, word.packet, word.posted});
  order_->add({place, word.header, word.packet, word.posted});
  send_waiting();
}

// A heartbeat must not name the numbers of messages that have not left: the receiver would ask for them.
void Outlets::say(const PeerFrame& word) {
  const std::size_t place = place_of(word.to);
  FrameHeader header = word.header;
  if (header.kind == FrameKind::hello) handshakes_.begins_anew(place);
  if (order_ && header.kind == FrameKind::hello) order_->forget(place);
  if (order_ && header.kind == FrameKind::alive)
    if (const auto number = order_->first_number(place))
      to_neighbor::put(to_neighbor::Alive{.next_number = *number}, header);
  outlets_[place].say(header, word.payload);
}

void Outlets::send_waiting() {
  while (order_ && !order_->is_empty()) {
    unsent_bytes_.resize(outlets_.size());
    for (std::size_t k = 0; k < outlets_.size(); ++k) unsent_bytes_[k] = handshakes_.unsent_bytes(k);
    const auto message = order_->next(monotonic_now(), unsent_bytes_);
    if (!message) return;
    send(*message);
  }
}

Instant Outlets::next(Instant now) const {
  return order_ && !order_->is_empty() ? now + OldestFirst::looks_every : Instant::max();
}

std::size_t Outlets::place_of(PeerId id) const {
  const auto found = std::ranges::lower_bound(outlets_, id, {}, &Outlet::id);
  ensure(found != outlets_.end() && found->id == id, "a method sends only to its destinations");
  return static_cast<std::size_t>(found - outlets_.begin());
}

void Outlets::send(const OldestFirst::Message& message) {
  const Instant now = monotonic_now();
  handshakes_.gives(message.destination, header_bytes + message.packet.size, now);
  put(message, now);
}

void Outlets::put(const OldestFirst::Message& message, Instant now) {
  Outlet& outlet = outlets_[message.destination];
  const Egress::Frame frame = egress_.frame(message.header, message.packet, message.posted, now, outlet.link);
  emulated_losses_ += frame.losses;
  outlet.send(frame.header, message.packet);
}

}  // namespace hearsay
