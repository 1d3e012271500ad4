#include "runtime/transfer/piece_receiver.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

namespace {

// A piece that comes so much later than the last one did is lost with its connection.
constexpr Duration patience = std::chrono::seconds(3);
constexpr int delays_of_patience = 4;
// Then the sender makes room for others until it announces the frame again.
constexpr int most_losses = 4;

bool is_announced_in(const FrameHeader& header, const FrameHeader& head) {
  const bool is_long = header.kind == FrameKind::evaluation || header.kind == FrameKind::question;
  return is_long && header.run_id == head.run_id && header.sender == head.sender &&
         header.incarnation == head.incarnation && pieces_of(header) == as_piece(head).of &&
         header.payload_bytes > 0;
}

}  // namespace

std::optional<WholeFrame> PieceReceiver::hear(std::size_t from, const FrameHeader& head,
                                              std::span<const std::byte> payload, Instant now) {
  const Piece piece = as_piece(head);
  if (piece.from == 0) {
    take_announcement(from, head, payload);
    return std::nullopt;
  }
  Sender& sender = senders_[from];
  const bool fits = sender.frame && piece.of == sender.name() && !payload.empty() &&
                    head.incarnation == sender.frame->header.incarnation && piece.from == sender.has() &&
                    payload.size() <= sender.ever_asked - sender.has();
  if (!fits) return std::nullopt;  // it came twice, or of a frame that is not wanted any more
  if (!put(from, payload)) {
    drop_frame(from);
    return std::nullopt;  // it will be announced again
  }
  sender.asked_until = std::max(sender.asked_until, sender.has());
  note_arrival(sender, now, std::chrono::microseconds(piece.held_us));
  if (sender.has() < sender.bytes()) return std::nullopt;
  if (!is_intact(*sender.frame)) {
    drop_frame(from);
    return std::nullopt;  // it will be announced again
  }
  WholeFrame done = std::exchange(*sender.frame, {});  // and so its room is kept
  drop_frame(from);
  const std::uint64_t end = header_bytes + done.header.payload_bytes;
  say(from, {.of = pieces_of(done.header), .from = end, .bytes = 0, .has = end});
  sender.whole = done.header;
  return done;
}

/// Room is taken with the first piece: a frame that is announced may not be needed when its turn comes.
/// Returns false if the disk fails.
bool PieceReceiver::put(std::size_t from, std::span<const std::byte> bytes) {
  Sender& sender = senders_[from];
  auto& [header, own, in_spool] = *sender.frame;
  if (spool_ && sender.come == 0) in_spool = spool_->begin(from, header.iteration, header.payload_bytes);
  if (in_spool.empty()) {
    own.reserve(header.payload_bytes);
    own.insert(own.end(), bytes.begin(), bytes.end());
  } else if (!spool_->write(bytes, in_spool.data() + sender.come)) {
    return false;
  }
  sender.come += bytes.size();
  return true;
}

bool PieceReceiver::is_intact(const WholeFrame& frame) const {
  if (frame.in_spool.empty()) return payload_intact(frame.header, frame.own);
  return payload_intact(frame.header, frame.in_spool, *spool_);
}

void PieceReceiver::take_announcement(std::size_t from, const FrameHeader& head,
                                      std::span<const std::byte> payload) {
  const DecodedHeader announced = decode_header(payload, payload_limit_bytes_);
  const FrameHeader& header = announced.header;
  if (announced.defect != FrameDefect::none || !is_announced_in(header, head)) return;
  Sender& sender = senders_[from];
  const PiecesOf name = pieces_of(header);
  if (!sender.needs(header)) {
    const std::uint64_t end = header_bytes + header.payload_bytes;
    return say(from, {.of = name, .from = end, .bytes = 0, .has = end});
  }
  if (!sender.frame || sender.frame->header != header) {
    drop_frame(from);
    sender.frame = WholeFrame{header};
    sender.asked_until = sender.ever_asked = header_bytes;
  }
  if (std::ranges::find(turns_, from) == turns_.end()) turns_.push_back(from);
  say_what_has_come(from);
}

void PieceReceiver::say_what_has_come(std::size_t to) {
  const Sender& sender = senders_[to];
  say(to, {.of = sender.name(), .from = sender.has(), .bytes = 0, .has = sender.has()});
}

/// A piece that its sender has held back for `held` has come.
void PieceReceiver::note_arrival(Sender& sender, Instant now, Duration held) {
  for (; !sender.asked.empty() && sender.asked.front().until <= sender.has(); sender.asked.pop_front()) {
    const Asked& asked = sender.asked.front();
    sender.last_delay = now - asked.at;
    if (!asked.is_first) {
      courtesy_.note_end(1);
      continue;
    }
    const Duration on_the_way = std::max(sender.last_delay - held, Duration(1));
    sender.window.note(asked.bytes, on_the_way, sender.under_way() + asked.bytes, now);
    courtesy_.note_delay(asked.bytes, on_the_way, now);
  }
  sender.last_news = now;
  sender.losses = 0;
  sender.owes_word = true;
}

void PieceReceiver::close(std::size_t from, std::uint64_t iteration) {
  Sender& sender = senders_[from];
  sender.closed = std::max(sender.closed, std::optional(iteration));
  if (sender.frame && sender.frame->header.iteration <= iteration) drop_frame(from);
  if (spool_) spool_->close(from, iteration);
}

void PieceReceiver::forget(std::size_t from) {
  drop_frame(from);
  senders_[from].whole.reset();
  senders_[from].closed.reset();
}

void PieceReceiver::drop_frame(std::size_t from) {
  Sender& sender = senders_[from];
  courtesy_.note_end(sender.asked.size());
  if (spool_ && sender.frame) spool_->give_up(sender.frame->in_spool);
  sender.frame.reset();
  sender.come = 0;
  sender.asked.clear();
  sender.losses = 0;
  sender.owes_word = false;
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
    courtesy_.note_end(sender.asked.size());
    sender.asked.clear();
    sender.asked_until = sender.has();
    sender.window.note_loss(now);
    turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(k));
    if (++sender.losses <= most_losses)
      turns_.push_back(whom);
    else
      sender.losses = 0;  // what has come is kept
  }
}

bool PieceReceiver::ask(const Moment& moment) {
  if (moment.all_is_read) give_up_what_is_lost(moment.now);
  bool is_free = true;
  for (std::size_t k = 0; k < active(); ++k) {
    Sender& sender = senders_[turns_[k]];
    is_free = ask(turns_[k], moment) && is_free;
    if (std::exchange(sender.owes_word, false)) say_what_has_come(turns_[k]);
  }
  return is_free;
}

/// Asks one sender for what its window permits. Returns false if the training holds it up.
bool PieceReceiver::ask(std::size_t whom, const Moment& moment) {
  Sender& sender = senders_[whom];
  while (sender.asked_until < sender.bytes()) {
    const std::uint64_t longest =
        moment.training_waits ? courtesy_.piece_bytes() : sender.window.piece_bytes();
    const std::uint64_t piece = std::min(longest, sender.bytes() - sender.asked_until);
    const bool has_room = sender.asked.empty() || sender.under_way() + piece <= sender.window.bytes();
    if (!has_room) return true;
    if (!courtesy_.permits(moment.now, moment.training_waits)) return false;
    if (sender.asked.empty()) sender.last_news = moment.now;
    sender.owes_word = false;
    say(whom, {.of = sender.name(),
               .from = sender.asked_until,
               .bytes = static_cast<std::uint32_t>(piece),
               .has = sender.has()});
    sender.asked.push_back(
        {sender.asked_until + piece, piece, moment.now, sender.asked_until >= sender.ever_asked});
    sender.asked_until += piece;
    sender.ever_asked = std::max(sender.ever_asked, sender.asked_until);
    courtesy_.note_piece(piece, moment.now);
  }
  return true;
}

}  // namespace hearsay
