#include "runtime/session/arriving_messages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

const ArrivingMessages::Message* ArrivingMessages::find(const FrameHeader& frame) const {
  const auto found = std::ranges::find_if(messages_, [&](const Message& message) {
    return message.header.iteration == frame.iteration && message.header.slot == frame.slot;
  });
  return found != messages_.end() ? &*found : nullptr;
}

ArrivingMessages::Message* ArrivingMessages::find(const FrameHeader& frame) {
  return const_cast<Message*>(std::as_const(*this).find(frame));
}

void ArrivingMessages::begin(const FrameHeader& header, const to_neighbor::LongMessage& message,
                             PacketPool* packets) {
  if (Message* const known = find(header)) {
    if (known->announced.bytes == message.bytes) known->announced.following_bytes = message.following_bytes;
    known->permitted = 0;
    return;
  }
  if (!has_room_for_another()) return;
  Message& begun = messages_.emplace_back();
  begun.header = header;
  begun.announced = message;
  begun.has.resize(message.pieces());
  begun.missing = message.pieces();
  begun.in_pieces = packets == nullptr;
  if (begun.in_pieces) return;
  begun.buffer = packets->acquire(message.bytes);
  begun.buffer->resize(message.bytes);
}

/// Forgets the oldest whole message if there are many.
bool ArrivingMessages::has_room_for_another() {
  const auto is_whole = [](const Message& message) { return message.is_whole(); };
  const auto whole = static_cast<std::size_t>(std::ranges::count_if(messages_, is_whole));
  const std::size_t incomplete = messages_.size() - whole;
  if (whole >= most_whole) messages_.erase(std::ranges::find_if(messages_, is_whole));
  return incomplete < most_incomplete;
}

bool ArrivingMessages::fits(const FrameHeader& piece, std::size_t bytes) const {
  const Message* const message = find(piece);
  const std::uint32_t number = to_neighbor::as_message_piece(piece).number;
  return !message || (number < message->has.size() && bytes == message->announced.bytes_of(number));
}

std::optional<WholeMessage> ArrivingMessages::take(const FrameHeader& piece, std::span<const std::byte> bytes,
                                                   PieceHearer* hearer) {
  ensure(fits(piece, bytes.size()), "a piece is taken where it belongs");
  Message* const message = find(piece);
  const std::uint32_t number = to_neighbor::as_message_piece(piece).number;
  if (!message || message->has[number]) return std::nullopt;
  if (message->in_pieces) {
    message->has[number] = true;
    --message->missing;
    if (number == message->taken && message->offer_next(bytes, *hearer)) return std::nullopt;
    PacketBuffer copy = piece_storage_.acquire(bytes.size());
    std::ranges::copy(bytes, copy.resize(bytes.size()).begin());
    message->waiting.emplace(number, std::move(copy));
    return std::nullopt;
  }
  std::memcpy(message->buffer->bytes().data() + message->announced.begin_of(number), bytes.data(),
              bytes.size());
  message->has[number] = true;
  if (--message->missing > 0) return std::nullopt;
  WholeMessage whole{message->header, std::move(*message->buffer).seal(),
                     header_bytes + message->announced.following_bytes};
  message->buffer.reset();
  return whole;
}

std::vector<WholeMessage> ArrivingMessages::offer(PieceHearer& hearer) {
  std::vector<WholeMessage> whole;
  for (Message& message : messages_) {
    if (!message.in_pieces || message.is_told) continue;
    auto& waiting = message.waiting;
    while (!waiting.empty() && waiting.begin()->first == message.taken &&
           message.offer_next(waiting.begin()->second.bytes(), hearer))
      waiting.erase(waiting.begin());
    message.is_told = message.is_whole();
    if (message.is_told)
      whole.push_back({message.header, packet_with({}), header_bytes + message.announced.following_bytes,
                       message.announced.bytes});
  }
  return whole;
}

std::uint32_t ArrivingMessages::Message::can_take() const {
  const auto all = static_cast<std::uint32_t>(has.size());
  return in_pieces ? std::min(all, taken + to_neighbor::most_pieces_ahead) : all;
}

std::vector<to_neighbor::TakesPieces> ArrivingMessages::permissions(bool all) {
  std::vector<to_neighbor::TakesPieces> news;
  for (Message& message : messages_) {
    const std::uint32_t pieces = message.can_take();
    if (message.is_whole() || (!all && pieces == message.permitted)) continue;
    message.permitted = pieces;
    news.push_back({message.header.iteration, message.header.slot, pieces});
  }
  return news;
}

void ArrivingMessages::forget_before(std::uint64_t iteration) {
  std::erase_if(messages_, [&](const Message& message) { return message.header.iteration < iteration; });
}

std::vector<to_neighbor::PiecesHeld> ArrivingMessages::held() const {
  std::vector<to_neighbor::PiecesHeld> held;
  for (const Message& message : messages_)
    held.push_back({message.header.iteration, message.header.slot, message.has});
  return held;
}

}  // namespace hearsay
