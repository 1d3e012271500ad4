#include "runtime/session/incoming_links.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

void say_alive(PeerId source, SessionContext& context) {
  context.say(PeerFrame::Way::reply, source, to_neighbor::Alive{});
}

}  // namespace

IncomingLinks::IncomingLinks(const std::vector<PeerId>& sources) {
  for (const PeerId source : sources) links_.emplace_back(source);
  ensure(std::ranges::is_sorted(links_, {}, &IncomingLink::source), "sources are ascending");
}

const IncomingLink* IncomingLinks::find(PeerId id) const {
  const auto found = std::ranges::lower_bound(links_, id, {}, &IncomingLink::source);
  return found != links_.end() && found->source == id ? &*found : nullptr;
}

IncomingLink* IncomingLinks::find(PeerId id) {
  const IncomingLink* const found = std::as_const(*this).find(id);
  return found ? &links_[static_cast<std::size_t>(found - links_.data())] : nullptr;
}

bool IncomingLinks::need_from(std::uint64_t iteration, SessionContext& context) {
  if (iteration <= context.next_needed) return false;
  context.next_needed = iteration;
  for (IncomingLink& link : links_) link.messages.forget_before(iteration);
  return true;
}

IncomingLink::Frame IncomingLinks::take(const FrameHeader& head, SessionContext& context) {
  IncomingLink* const link = find(head.sender);
  ensure(link != nullptr, "numbered frames are taken of sources only");
  const IncomingLink::Frame frame = link->judge(head);
  if (frame == IncomingLink::Frame::after_gap) ++context.counters.gaps;
  if (frame == IncomingLink::Frame::repeated) ++context.counters.repeated;
  const bool is_unannounced = head.kind == FrameKind::message_piece && !link->messages.knows(head) &&
                              head.iteration >= context.next_needed;
  const bool is_useless = is_unannounced && frame == IncomingLink::Frame::next;
  if (link->must_ask_again(is_useless ? IncomingLink::Frame::after_gap : frame, head.kind))
    context.say(PeerFrame::Way::reply, head.sender, FrameKind::again);
  return frame;
}

bool IncomingLinks::fits(const FrameHeader& head, std::span<const std::byte> payload,
                         const SessionContext& context) const {
  if (head.kind == FrameKind::message_piece) return find(head.sender)->messages.fits(head, payload.size());
  if (head.kind != FrameKind::long_message) return true;
  const auto message = to_neighbor::decode_long_message(payload);
  return message && context.input.packets && message->piece_bytes == context.input.piece_bytes &&
         message->bytes <= context.input.longest_message_bytes;
}

std::optional<WholeMessage> IncomingLinks::take_long(const FrameHeader& head,
                                                     std::span<const std::byte> payload,
                                                     SessionContext& context) {
  ArrivingMessages& messages = find(head.sender)->messages;
  std::optional<WholeMessage> whole;
  if (head.kind == FrameKind::message_piece)
    whole = messages.take(head, payload, context.pieces);
  else if (head.iteration >= context.next_needed)
    messages.begin(head, *to_neighbor::decode_long_message(payload),
                   context.pieces ? nullptr : context.input.packets);
  if (context.pieces)
    offer_pieces(context);
  else
    permit_pieces(false, context);
  return whole;
}

/// In ascending order of the sources: the pieces of one may wait for those of the sources before it.
void IncomingLinks::offer_pieces(SessionContext& context) {
  for (IncomingLink& link : links_)
    for (const WholeMessage& whole : link.messages.offer(*context.pieces)) {
      const FrameHeader& head = whole.header;
      context.events.push_back(DataArrived{{head.iteration, head.slot, head.sender},
                                           whole.packet,
                                           {head.degree, head.replica_digest, whole.taken_bytes}});
    }
  permit_pieces(false, context);
}

void IncomingLinks::permit_pieces(bool all, SessionContext& context) {
  for (IncomingLink& link : links_)
    for (const to_neighbor::TakesPieces& word : link.messages.permissions(all))
      context.say(PeerFrame::Way::reply, link.source, word);
}

/// The predecessor may not have greeted this process. The new process is told from it by needing messages
/// that the predecessor had no more need of.
bool IncomingLinks::is_of_successor(const FrameHeader& hello, std::uint64_t kept_from) const {
  const IncomingLink* const link = find(hello.sender);
  if (!link || link->is_known(hello.incarnation)) return false;
  return link->has_greeted() || hello.iteration < kept_from;
}

Instant IncomingLinks::last_heard_from(PeerId source) const {
  const IncomingLink* const link = find(source);
  ensure(link != nullptr, "a peer waits for its sources only");
  return link->heard_at;
}

void IncomingLinks::say_what_is_needed(SessionContext& context) const {
  for (const IncomingLink& link : links_) say_alive(link.source, context);
}

void IncomingLinks::say_what_is_needed_to_quiet(SessionContext& context) const {
  const std::vector<PeerId>& quiet = context.input.quiet_destinations;
  for (const IncomingLink& link : links_)
    if (!context.is_destination(link.source) || std::ranges::binary_search(quiet, link.source))
      say_alive(link.source, context);
}

void IncomingLinks::show_life(const PartedEdges& parted, SessionContext& context) const {
  for (const IncomingLink& link : links_)
    if (!context.is_destination(link.source) && !parted.contains(link.source))
      say_alive(link.source, context);
}

}  // namespace hearsay
