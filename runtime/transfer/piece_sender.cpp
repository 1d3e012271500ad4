#include "runtime/transfer/piece_sender.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

// Two evaluations and a result are under way at most, unless the observer is away: then it needs none of the
// older ones when it is back.
constexpr std::size_t most_waiting = 8;
constexpr std::int64_t longest_held_us = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void PieceSender::add(const FrameHeader& header, SharedBytes payload) {
  ensure(header.payload_bytes == payload.size(), "the header of a frame in pieces is complete");
  ensure(!is_waiting(header.kind, header.iteration), "a frame in pieces is sent once");
  frames_.push_back({header, std::move(payload), false});
}

void PieceSender::add_result(const FrameHeader& header, SharedBytes payload) {
  std::erase_if(frames_, [](const Waiting& frame) { return frame.is_whole; });
  frames_.push_back({header, std::move(payload), true});
}

bool PieceSender::is_waiting(FrameKind kind, std::uint64_t iteration) const {
  return std::ranges::any_of(frames_, [&](const Waiting& frame) {
    return frame.header.kind == kind && frame.header.iteration == iteration;
  });
}

std::optional<std::uint32_t> PieceSender::checksum_of(std::span<const std::byte> payload) const {
  for (const Waiting& frame : frames_)
    if (!frame.is_whole && frame.payload.bytes().data() == payload.data() &&
        frame.payload.size() == payload.size())
      return frame.header.payload_checksum;
  return std::nullopt;
}

void PieceSender::hear(const Take& take, Instant now, Courtesy& courtesy) {
  if (frames_.empty() || frames_.front().is_whole || take.of != frames_.front().name()) return;
  const std::uint64_t end = frames_.front().bytes();
  if (take.has > end) return;
  note_arrivals(take.has, now, courtesy);
  if (take.has == end) return close_front(courtesy);
  if (take.bytes == 0 || !can_serve(take)) return;
  give_up_from(take.from, courtesy);
  if (asked_.size() == TakeWindow::most_pieces || left_.size() >= 2 * TakeWindow::most_pieces) return;
  asked_.push_back({take, now});
  interval_ = least_interval;
  announces_at_ = now + interval_;
}

bool PieceSender::can_serve(const Take& take) const {
  return take.from >= header_bytes && take.from < frames_.front().bytes() &&
         take.bytes <= TakeWindow::most_piece_bytes;
}

void PieceSender::note_arrivals(std::uint64_t has, Instant now, Courtesy& courtesy) {
  for (; !left_.empty() && left_.front().until <= has; left_.pop_front()) {
    const Left& piece = left_.front();
    piece.is_timed ? courtesy.note_delay(piece.bytes, now - piece.at, now) : courtesy.note_end(1);
  }
}

/// What has left from position `from` on is lost, or late, and what was asked for from there on will be asked
/// for again.
void PieceSender::give_up_from(std::uint64_t from, Courtesy& courtesy) {
  std::erase_if(asked_, [&](const Asked& earlier) { return earlier.take.from >= from; });
  courtesy.note_end(std::erase_if(left_, [&](const Left& piece) { return piece.until > from; }));
}

void PieceSender::close(std::uint64_t iteration, Courtesy& courtesy) {
  const auto is_closed = [&](const Waiting& frame) {
    return !frame.is_whole && frame.header.iteration <= iteration;
  };
  if (!frames_.empty() && is_closed(frames_.front())) begin_front(courtesy);
  std::erase_if(frames_, is_closed);
}

void PieceSender::forget(Courtesy& courtesy) {
  begin_front(courtesy);
  frames_.clear();
}

/// The first frame will be another one.
void PieceSender::begin_front(Courtesy& courtesy) {
  courtesy.note_end(left_.size());
  asked_.clear();
  left_.clear();
  ever_left_ = 0;
  interval_ = least_interval;
  announce_again();
}

void PieceSender::close_front(Courtesy& courtesy) {
  begin_front(courtesy);
  frames_.pop_front();
}

void PieceSender::send(const Moment& moment, Courtesy& courtesy, const Sink& sink) {
  const auto [now, training_waits, all_is_read] = moment;
  while (frames_.size() > most_waiting) close_front(courtesy);
  while (!frames_.empty() && frames_.front().is_whole) {
    sink(frames_.front().header, frames_.front().payload.bytes());
    close_front(courtesy);
  }
  if (frames_.empty()) return;
  if (now >= announces_at_) announce(now, sink);
  if (all_is_read && now >= lost_at()) give_up_from(0, courtesy);
  while (!asked_.empty() && courtesy.permits(now, training_waits)) {
    Asked& asked = asked_.front();
    const std::uint64_t most_bytes = training_waits ? courtesy.piece_bytes() : TakeWindow::most_piece_bytes;
    send_asked(asked, most_bytes, now, courtesy, sink);
    if (asked.take.bytes == 0) asked_.pop_front();
  }
}

/// Sends the next `most_bytes` bytes, or fewer, of what was asked for at once.
void PieceSender::send_asked(Asked& asked, std::uint64_t most_bytes, Instant now, Courtesy& courtesy,
                             const Sink& sink) {
  const Waiting& frame = frames_.front();
  const std::uint64_t from = asked.take.from;
  const std::uint64_t wanted = std::min<std::uint64_t>(asked.take.bytes, frame.bytes() - from);
  const std::uint64_t bytes = std::min(wanted, most_bytes);
  const auto held = std::chrono::duration_cast<std::chrono::microseconds>(now - asked.at).count();
  const Piece piece{frame.name(), from,
                    static_cast<std::uint32_t>(std::clamp<std::int64_t>(held, 0, longest_held_us))};
  send_piece(piece, frame.payload.bytes().subspan(from - header_bytes, bytes), sink);
  courtesy.note_piece(bytes, now);
  left_.push_back({from + bytes, bytes, now, from >= ever_left_});
  ever_left_ = std::max(ever_left_, from + bytes);
  asked.take.from += bytes;
  asked.take.bytes = static_cast<std::uint32_t>(wanted - bytes);
}

void PieceSender::announce(Instant now, const Sink& sink) {
  std::array<std::byte, header_bytes> head{};
  encode_header(frames_.front().header, head);
  send_piece({frames_.front().name(), 0}, head, sink);
  announces_at_ = now + interval_;
  interval_ = std::min(2 * interval_, most_interval);
}

void PieceSender::send_piece(const Piece& piece, std::span<const std::byte> bytes, const Sink& sink) const {
  const FrameHeader& whole = frames_.front().header;
  FrameHeader header;
  header.run_id = whole.run_id;
  header.sender = whole.sender;
  header.incarnation = whole.incarnation;
  put(piece, header);
  sink(header, bytes);
}

}  // namespace hearsay
