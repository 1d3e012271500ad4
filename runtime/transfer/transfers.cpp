#include "runtime/transfer/transfers.hpp"

#include <algorithm>

namespace hearsay {

namespace {

// So soon the end of a wait of the training is noticed.
constexpr Duration look_again_after = std::chrono::milliseconds(5);

}  // namespace

void Transfers::send(std::size_t to, FrameHeader header, SharedBytes payload) {
  PieceSender& sender = senders_[to];
  if (header.kind == FrameKind::result) return sender.add_result(header, std::move(payload));
  if (sender.is_waiting(header.kind, header.iteration)) return sender.announce_again();
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum_of(payload);
  // Tells a frame that is said anew, since what it brought or asked for is missing, from one that is
  // announced again.
  header.sequence = ++said_;
  sender.add(header, std::move(payload));
}

/// A question is the same for all peers.
std::uint32_t Transfers::checksum_of(const SharedBytes& payload) const {
  for (const PieceSender& sender : senders_)
    if (const auto known = sender.checksum_of(payload)) return *known;
  return payload_checksum(payload);
}

std::optional<WholeFrame> Transfers::hear(std::size_t from, const FrameHeader& head,
                                          std::span<const std::byte> payload, Instant now) {
  if (head.kind == FrameKind::piece) return receiver_.hear(from, head, payload, now);
  senders_[from].hear(as_take(head), now, outgoing_);
  return std::nullopt;
}

void Transfers::close(std::size_t other, std::uint64_t iteration) {
  senders_[other].close(iteration, outgoing_);
  receiver_.close(other, iteration);
}

void Transfers::forget(std::size_t other) {
  senders_[other].forget(outgoing_);
  receiver_.forget(other);
}

Instant Transfers::next() const {
  Instant first = std::min(next_look_, receiver_.next());
  for (const PieceSender& sender : senders_) first = std::min(first, sender.next());
  return first;
}

void Transfers::carry_out(const Moment& moment, const Sink& sink) {
  bool is_free = receiver_.ask(moment);
  for (const PieceReceiver::Said& said : receiver_.outbox()) {
    FrameHeader header;
    header.run_id = self_.run_id;
    header.sender = self_.sender;
    header.incarnation = self_.incarnation;
    put(said.take, header);
    sink(said.to, header, {});
  }
  receiver_.outbox().clear();
  for (std::size_t k = 0; k < senders_.size(); ++k) {
    const std::size_t to = (first_ + k) % senders_.size();
    senders_[to].send(moment, outgoing_, [&](const FrameHeader& header, std::span<const std::byte> payload) {
      sink(to, header, payload);
    });
  }
  first_ = (first_ + 1) % senders_.size();
  is_free = is_free && std::ranges::none_of(senders_, &PieceSender::owes_piece);
  next_look_ = is_free ? Instant::max() : moment.now + look_again_after;
}

}  // namespace hearsay
