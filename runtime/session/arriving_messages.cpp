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
                             PacketPool& packets) {
  if (Message* const known = find(header)) {
    if (known->announced.bytes == message.bytes) known->announced.following_bytes = message.following_bytes;
    return;
  }
  if (!has_room_for_another()) return;
  PacketBuffer buffer = packets.acquire(message.bytes);
  buffer.resize(message.bytes);
  messages_.push_back(
      {header, message, std::vector<bool>(message.pieces()), message.pieces(), std::move(buffer)});
}

/// Forgets the oldest whole message if there are many.
bool ArrivingMessages::has_room_for_another() {
  const auto is_whole = [](const Message& message) { return !message.buffer; };
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

std::optional<WholeMessage> ArrivingMessages::take(const FrameHeader& piece,
                                                   std::span<const std::byte> bytes) {
  ensure(fits(piece, bytes.size()), "a piece is taken where it belongs");
  Message* const message = find(piece);
  const std::uint32_t number = to_neighbor::as_message_piece(piece).number;
  if (!message || message->has[number]) return std::nullopt;
  std::memcpy(message->buffer->bytes().data() + message->announced.begin_of(number), bytes.data(),
              bytes.size());
  message->has[number] = true;
  if (--message->missing > 0) return std::nullopt;
  WholeMessage whole{message->header, std::move(*message->buffer).seal(),
                     header_bytes + message->announced.following_bytes};
  message->buffer.reset();
  return whole;
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
