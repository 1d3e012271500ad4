#include "runtime/transfer/piece_sender.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

// A receiver asks for at most its window at once. Whoever asks for more without taking is not served.
constexpr std::size_t most_asked = 64;
// Two evaluations and a result are under way at most, unless the observer is away: then it needs none of the
// older ones when it is back.
constexpr std::size_t most_waiting = 8;

}  // namespace

void PieceSender::add(const FrameHeader& header, SharedBytes payload) {
  ensure(header.payload_bytes == payload.size(), "the header of a frame in pieces is complete");
  const PiecesOf name{header.kind, header.iteration};
  const auto known = std::ranges::find(frames_, name, &Waiting::name);
  if (known == frames_.end()) {
    if (frames_.size() == most_waiting) close_front();
    frames_.push_back({header, std::move(payload), false});
    return;
  }
  if (known->is_announced && !known->is_answered) known->is_whole = true;
  known->is_announced = false;
}

void PieceSender::add_whole(const FrameHeader& header, SharedBytes payload) {
  frames_.push_back({header, std::move(payload), true});
}

void PieceSender::hear(const Take& take, Instant now, Courtesy& courtesy) {
  if (frames_.empty() || take.of != frames_.front().name()) return;
  Waiting& frame = frames_.front();
  frame.is_answered = true;
  if (take.from > frame.bytes()) return;
  if (take.from == frame.bytes()) return close_front();
  if (take.bytes == 0 || take.from < header_bytes || asked_.size() == most_asked) return;
  // It asks as soon as it has the last one.
  if (last_piece_left_) courtesy.note_delay(now - *std::exchange(last_piece_left_, std::nullopt), now);
  asked_.push_back(take);
}

void PieceSender::send(Instant now, bool training_waits, Courtesy& courtesy, const Sink& sink) {
  while (!frames_.empty() && frames_.front().is_whole) {
    sink(frames_.front().header, frames_.front().payload.bytes());
    close_front();
  }
  if (frames_.empty()) return;
  Waiting& frame = frames_.front();
  if (!std::exchange(frame.is_announced, true)) announce(sink);
  while (!asked_.empty() && courtesy.permits(now, training_waits)) {
    const Take take = asked_.front();
    asked_.pop_front();
    const std::uint64_t begin = take.from - header_bytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(take.bytes, frame.payload.size() - begin);
    send_piece(take.from, frame.payload.bytes().subspan(begin, bytes), sink);
    courtesy.note_piece(now);
    last_piece_left_ = now;
  }
}

void PieceSender::announce(const Sink& sink) const {
  std::array<std::byte, header_bytes> head{};
  encode_header(frames_.front().header, head);
  send_piece(0, head, sink);
}

void PieceSender::send_piece(std::uint64_t from, std::span<const std::byte> bytes, const Sink& sink) const {
  const FrameHeader& whole = frames_.front().header;
  FrameHeader header;
  header.run_id = whole.run_id;
  header.sender = whole.sender;
  header.incarnation = whole.incarnation;
  put(Piece{frames_.front().name(), from}, header);
  sink(header, bytes);
}

}  // namespace hearsay
