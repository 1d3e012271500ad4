#include "runtime/session/outgoing_links.hpp"

#include <algorithm>
#include <limits>

#include "runtime/wire/words_to_neighbor.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t never_sent = std::numeric_limits<std::uint64_t>::max();

/// Returns the header of a frame that carries the message, or a part of it.
FrameHeader message_header(const RetainedMessage& message, FrameKind kind, std::uint64_t number,
                           const SessionContext& context) {
  FrameHeader head = context.header(kind);
  head.iteration = message.key.iteration;
  head.slot = message.key.slot;
  head.sequence = number;
  head.degree = message.metadata.degree;
  head.replica_digest = message.metadata.replica_digest;
  return head;
}

/// What announces the message, if the receiver has nothing of it.
to_neighbor::LongMessage announcement_of(const RetainedMessage& message, const SessionContext& context) {
  return {.bytes = message.packet->size(),
          .following_bytes = 0,
          .piece_bytes = static_cast<std::uint32_t>(context.input.piece_bytes)};
}

using Held = std::vector<to_neighbor::PiecesHeld>;

/// Returns which pieces of the message its receiver has; empty if it has none.
std::vector<bool> held_of(const MessageKey& key, const Held& held) {
  const auto found = std::ranges::find_if(held, [&](const to_neighbor::PiecesHeld& message) {
    return message.iteration == key.iteration && message.slot == key.slot;
  });
  return found != held.end() ? found->has : std::vector<bool>{};
}

}  // namespace

OutgoingLinks::OutgoingLinks(const PeerSessionInput& input)
    : retention_(input.destinations, input.asynchronous) {
  for (const PeerId to : input.destinations) links_.push_back({to});
  ensure(std::ranges::is_sorted(links_, {}, &OutgoingLink::to), "destinations are ascending");
}

OutgoingLink& OutgoingLinks::to(PeerId destination) {
  const auto found = std::ranges::lower_bound(links_, destination, {}, &OutgoingLink::to);
  ensure(found != links_.end() && found->to == destination, "a method sends only to its destinations");
  return *found;
}

void OutgoingLinks::greet(OutgoingLink& link, bool has_parted, SessionContext& context) const {
  link.greeted_at = link.next_sequence;
  link.awaits_welcome = true;
  const to_neighbor::Hello hello{.next_number = link.next_sequence, .edge_is_out = has_parted};
  context.say(PeerFrame::Way::outlet, link.to, hello, context.hello);
}

void OutgoingLinks::greet_all(const PartedEdges& parted, SessionContext& context) {
  for (OutgoingLink& link : links_)
    if (context.has_started() || !parted.contains(link.to)) greet(link, parted.contains(link.to), context);
}

void OutgoingLinks::show_life(const PartedEdges& parted, SessionContext& context) {
  for (OutgoingLink& link : links_) {
    const bool has_parted = parted.contains(link.to);
    // The hello or its answer was lost, the destination is not up yet, or an edge that is out may come back.
    if (!link.awaits_welcome && !has_parted)
      context.say(PeerFrame::Way::outlet, link.to, to_neighbor::Alive{link.next_sequence});
    else if (context.has_started() || !has_parted)
      greet(link, has_parted, context);
  }
}

void OutgoingLinks::send(Outgoing message, Instant posted, SessionContext& context) {
  RetainedMessage retained{message.key, std::move(message.packet), 0, message.metadata};
  send_data(to(message.to), retained, {}, posted, context);
  retention_.keep(message.to, std::move(retained));
}

void OutgoingLinks::send_data(OutgoingLink& link, RetainedMessage& message, const std::vector<bool>& has,
                              Instant posted, SessionContext& context) {
  message.sequence = link.next_sequence;
  if (message.packet->size() > context.input.piece_bytes)
    return send_pieces(link, message, has, posted, context);
  const FrameHeader head = message_header(message, FrameKind::data, link.next_sequence++, context);
  context.outbox.push_back({PeerFrame::Way::outlet, link.to, head, message.packet, {}, posted});
}

void OutgoingLinks::send_pieces(OutgoingLink& link, RetainedMessage& message, const std::vector<bool>& has,
                                Instant posted, SessionContext& context) {
  to_neighbor::LongMessage announced = announcement_of(message, context);
  const auto is_missing = [&](std::uint32_t k) { return has.size() != announced.pieces() || !has[k]; };
  for (std::uint32_t k = 0; k < announced.pieces(); ++k)
    if (is_missing(k)) announced.following_bytes += announced.bytes_of(k);
  const FrameHeader head = message_header(message, FrameKind::long_message, link.next_sequence++, context);
  context.outbox.push_back(
      {PeerFrame::Way::outlet, link.to, head, packet_with(to_neighbor::encode(announced)), {}, posted});
  // A receiver that has nothing may be a new process, which was not asked yet what it can take.
  if (has.empty()) message.permitted = 0;
  message.permitted =
      std::min(announced.pieces(), context.input.paced_by_receiver
                                       ? std::max(message.permitted, to_neighbor::pieces_at_once)
                                       : announced.pieces());
  for (std::uint32_t k = 0; k < message.permitted; ++k)
    if (is_missing(k)) send_piece(link, message, k, posted, context);
}

void OutgoingLinks::send_piece(OutgoingLink& link, const RetainedMessage& message, std::uint32_t number,
                               Instant posted, SessionContext& context) {
  const to_neighbor::LongMessage announced = announcement_of(message, context);
  FrameHeader head = message_header(message, FrameKind::message_piece, link.next_sequence++, context);
  head.replica_digest = 0;
  put(to_neighbor::MessagePiece{number}, head);
  const PacketPart part{message.packet, announced.begin_of(number), announced.bytes_of(number)};
  context.outbox.push_back({PeerFrame::Way::outlet, link.to, head, part, {}, posted});
}

void OutgoingLinks::send_more(OutgoingLink& link, const to_neighbor::TakesPieces& word,
                              SessionContext& context) {
  for (RetainedMessage& message : retention_.of(link.to)) {
    const bool is_meant = message.key.iteration == word.iteration && message.key.slot == word.slot &&
                          message.packet->size() > context.input.piece_bytes;
    if (!is_meant) continue;
    const std::uint32_t until = std::min(word.pieces, announcement_of(message, context).pieces());
    for (; message.permitted < until; ++message.permitted)
      send_piece(link, message, message.permitted, context.now, context);
  }
}

bool OutgoingLinks::hear_welcome(OutgoingLink& link, const FrameHeader& welcome, SessionContext& context) {
  const bool answers_last_hello = to_neighbor::as_welcome(welcome).next_number == link.greeted_at;
  if (!answers_last_hello || !link.awaits_welcome) return false;
  if (!context.is_possible(welcome.iteration)) return false;  // its hello will be refused
  link.awaits_welcome = false;
  link.answers_instead.clear();
  return true;
}

void OutgoingLinks::send_again(OutgoingLink& link, std::uint64_t needed_from,
                               std::span<const std::byte> pieces_held, SessionContext& context) {
  ensure(link.greeted_at <= link.next_sequence, "a hello names no message that was not sent");
  release(link.to, needed_from, context);
  const auto held = to_neighbor::decode_pieces_held(pieces_held).value_or(Held{});
  for (RetainedMessage& message : retention_.of(link.to)) {
    if (message.key.iteration < needed_from) continue;
    if (message.sequence >= link.greeted_at && message.sequence < link.next_sequence) continue;
    const std::vector<bool> has = held_of(message.key, held);
    if (!has.empty() && std::ranges::find(has, false) == has.end()) continue;
    send_data(link, message, has, context.now, context);
    ++context.counters.retransmitted;
  }
}

// Two objections: the caller's checkpoints are of an earlier run that went further; or the caller needs
// messages that are not retained any more.
std::string OutgoingLinks::objection_to(const FrameHeader& hello, bool has_parted,
                                        const SessionContext& context) const {
  const std::string self = std::to_string(context.input.self), caller = std::to_string(hello.sender);
  if (!context.is_possible(hello.iteration))
    return "peer " + caller + " came back at iteration " + std::to_string(hello.iteration - 1) +
           ", farther than a run can be that peer " + self + " has at " +
           std::to_string(context.next_needed - 1) +
           "; its checkpoints are of an earlier run of this file, start it with those of this one";
  if (!context.is_destination(hello.sender) || context.input.asynchronous || has_parted) return "";
  const std::uint64_t kept_from = retention_.floor(hello.sender);
  if (hello.iteration >= kept_from) return "";
  return "peer " + self + " keeps its messages from iteration " + std::to_string(kept_from) + " on, peer " +
         caller + " came back needing those from " + std::to_string(hello.iteration) +
         " on; start it from its newest checkpoint (--resume), or all peers from a common one";
}

bool OutgoingLinks::retains() const {
  return std::ranges::any_of(links_,
                             [this](const OutgoingLink& link) { return !retention_.of(link.to).empty(); });
}

void OutgoingLinks::save(SessionState& state) const {
  for (const OutgoingLink& link : links_) {
    state.released.emplace_back(link.to, retention_.floor(link.to));
    for (const RetainedMessage& message : retention_.of(link.to))
      state.retained.push_back({link.to, message.key, message.packet, message.metadata});
  }
}

void OutgoingLinks::restore(SessionState& state) {
  for (const auto& [to, next_needed] : state.released) retention_.release(to, next_needed);
  for (Outgoing& message : state.retained)
    retention_.keep(message.to, {message.key, std::move(message.packet), never_sent, message.metadata});
}

}  // namespace hearsay
