#include "runtime/transfer/piece_receiver.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

namespace {

// A piece that comes so much later than the last one did is lost with its connection.
constexpr Duration patience = std::chrono::seconds(3);
constexpr int delays_of_patience = 4;
// Then the sender has given the frame up, or is gone. If it still wants to send it, it announces it again.
constexpr int most_losses = 4;

}  // namespace

std::optional<WholeFrame> PieceReceiver::hear(std::size_t from, const FrameHeader& head,
                                              std::span<const std::byte> payload, Instant now,
                                              Courtesy& courtesy) {
  const Piece piece = as_piece(head);
  if (piece.from == 0) {
    take_announcement(from, head, payload);
    return std::nullopt;
  }
  Sender& sender = senders_[from];
  const bool fits = sender.frame && piece.of == sender.name() &&
                    head.incarnation == sender.frame->header.incarnation && piece.from == sender.has() &&
                    payload.size() <= sender.bytes() - sender.has();
  if (!fits) return std::nullopt;  // it came twice, or of a frame that is not wanted any more
  std::vector<std::byte>& whole = sender.frame->payload;
  whole.insert(whole.end(), payload.begin(), payload.end());
  sender.asked_until = std::max(sender.asked_until, sender.has());
  note_arrival(sender, payload.size(), now, courtesy);
  if (sender.has() < sender.bytes()) return std::nullopt;
  say(from, sender.bytes(), 0);
  std::optional<WholeFrame> done = std::move(sender.frame);
  forget(from);
  return payload_intact(done->header, done->payload) ? std::move(done) : std::nullopt;
}

void PieceReceiver::take_announcement(std::size_t from, const FrameHeader& head,
                                      std::span<const std::byte> payload) {
  const DecodedHeader announced = decode_header(payload, payload_limit_bytes_);
  const FrameHeader& header = announced.header;
  const bool is_of_sender = announced.defect == FrameDefect::none && header.run_id == head.run_id &&
                            header.sender == head.sender && header.incarnation == head.incarnation &&
                            PiecesOf{header.kind, header.iteration} == as_piece(head).of;
  if (!is_of_sender || header.payload_bytes == 0) return;
  Sender& sender = senders_[from];
  if (!sender.frame || sender.frame->header != header) {
    forget(from);
    sender.frame = WholeFrame{header, {}};
    sender.asked_until = header_bytes;
    turns_.push_back(from);
  }
  say(from, sender.has(), 0);
}

void PieceReceiver::note_arrival(Sender& sender, std::uint64_t bytes, Instant now, Courtesy& courtesy) {
  while (!sender.asked.empty() && sender.asked.front().until <= sender.has()) {
    sender.last_delay = now - sender.asked.front().at;
    sender.asked.pop_front();
    sender.window.note(bytes, sender.last_delay, sender.under_way() + bytes, now);
    courtesy.note_delay(sender.last_delay, now);
  }
  sender.last_news = now;
  sender.losses = 0;
}

void PieceReceiver::forget(std::size_t from) {
  Sender& sender = senders_[from];
  sender.frame.reset();
  sender.asked.clear();
  sender.losses = 0;
  std::erase(turns_, from);
}

Instant PieceReceiver::Sender::lost_at() const {
  return asked.empty() ? Instant::max() : last_news + patience + delays_of_patience * last_delay;
}

Instant PieceReceiver::next() const {
  Instant first = Instant::max();
  for (std::size_t k = 0; k < active(); ++k) first = std::min(first, senders_[turns_[k]].lost_at());
  return first;
}

/// A sender from which nothing comes makes room for the next one.
void PieceReceiver::give_up_what_is_lost(Instant now) {
  for (std::size_t k = active(); k-- > 0;) {
    const std::size_t whom = turns_[k];
    Sender& sender = senders_[whom];
    if (now < sender.lost_at()) continue;
    if (++sender.losses > most_losses) {
      forget(whom);
      continue;
    }
    sender.asked.clear();
    sender.asked_until = sender.has();
    sender.window.note_loss(now);
    turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(k));
    turns_.push_back(whom);
  }
}

bool PieceReceiver::anything_under_way() const {
  return std::ranges::any_of(senders_, [](const Sender& sender) { return !sender.asked.empty(); });
}

bool PieceReceiver::tick(Instant now, bool training_waits, Courtesy& courtesy) {
  give_up_what_is_lost(now);
  bool is_free = true;
  for (std::size_t k = 0; k < active(); ++k)
    is_free = ask(turns_[k], now, training_waits, courtesy) && is_free;
  return is_free;
}

/// Asks one sender for what its window permits. Returns false if the training holds it up.
bool PieceReceiver::ask(std::size_t whom, Instant now, bool training_waits, Courtesy& courtesy) {
  Sender& sender = senders_[whom];
  while (sender.asked_until < sender.bytes()) {
    const std::uint64_t piece =
        std::min<std::uint64_t>(sender.window.piece_bytes(), sender.bytes() - sender.asked_until);
    const bool has_room = sender.asked.empty() || sender.under_way() + piece <= sender.window.bytes();
    if (!has_room) return true;
    if (!courtesy.permits(now, training_waits) || (training_waits && anything_under_way())) return false;
    if (sender.asked.empty()) sender.last_news = now;
    say(whom, sender.asked_until, static_cast<std::uint32_t>(piece));
    sender.asked_until += piece;
    sender.asked.push_back({sender.asked_until, now});
    courtesy.note_piece(now);
  }
  return true;
}

}  // namespace hearsay
