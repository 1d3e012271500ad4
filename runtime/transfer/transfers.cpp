#include "runtime/transfer/transfers.hpp"

#include <algorithm>

namespace hearsay {

namespace {

// So soon the end of a wait of the training is noticed.
constexpr Duration look_again_after = std::chrono::milliseconds(5);

}  // namespace

void Transfers::send(std::size_t to, FrameHeader header, SharedBytes payload) {
  if (header.kind == FrameKind::result) return senders_[to].add_whole(header, std::move(payload));
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.payload_checksum = payload_checksum(payload);
  senders_[to].add(header, std::move(payload));
}

std::optional<WholeFrame> Transfers::hear(std::size_t from, const FrameHeader& head,
                                          std::span<const std::byte> payload, Instant now) {
  if (head.kind == FrameKind::piece) return receiver_.hear(from, head, payload, now, incoming_);
  senders_[from].hear(as_take(head), now, outgoing_);
  return std::nullopt;
}

void Transfers::forget(std::size_t other) {
  senders_[other].forget();
  receiver_.forget(other);
}

void Transfers::carry_out(Instant now, bool training_waits, const Sink& sink) {
  bool is_free = receiver_.tick(now, training_waits, incoming_);
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
    senders_[to].send(
        now, training_waits, outgoing_,
        [&](const FrameHeader& header, std::span<const std::byte> payload) { sink(to, header, payload); });
  }
  first_ = (first_ + 1) % senders_.size();
  is_free = is_free && std::ranges::none_of(senders_, &PieceSender::owes_piece);
  next_look_ = is_free ? Instant::max() : now + look_again_after;
}

}  // namespace hearsay
