#include <algorithm>

#include "runtime/session/peer_session.hpp"
#include "topology/foundation/ensure.hpp"

// Policy "drop": edges that are out, and how they come back (edge_wish.hpp).

namespace hearsay {

const PeerSession::Parted* PeerSession::parted(PeerId id) const {
  const auto found = std::ranges::find(parted_, id, &Parted::from);
  return found == parted_.end() ? nullptr : &*found;
}

void PeerSession::obey(const EdgeWish& wish) {
  switch (wish.what) {
    case EdgeWish::What::part:
      return part_from(wish.neighbor);
    case EdgeWish::What::offer:
      for (Parted& edge : parted_)
        if (edge.from == wish.neighbor) edge.offered = true;
      say(PeerWord::Way::outlet, wish.neighbor, FrameKind::offer);
      outbox_.back().header.iteration = wish.iteration;
      return;
    case EdgeWish::What::take:
      come_together(wish.neighbor, wish.iteration);
      return say_taken_again(wish.neighbor);
    case EdgeWish::What::agree:
      return come_together(wish.neighbor, wish.iteration);
  }
}

/// Says so also where it has before: the other end may not know.
void PeerSession::part_from(PeerId neighbor) {
  std::erase_if(parted_, [&](const Parted& edge) { return edge.from == neighbor; });
  std::erase_if(agreed_, [&](const auto& offer) { return offer.first == neighbor; });
  parted_.push_back({neighbor});
  if (is_destination(neighbor)) {
    retention_.abandon(neighbor);
    say(PeerWord::Way::outlet, neighbor, FrameKind::parted);
  }
  if (find_source(neighbor)) say(PeerWord::Way::reply, neighbor, FrameKind::parted);
}

void PeerSession::come_together(PeerId neighbor, std::uint64_t iteration) {
  agreed_.emplace_back(neighbor, iteration);
  std::erase_if(parted_, [&](const Parted& edge) { return edge.from == neighbor; });
}

/// Whether a neighbor's hello with slot 1, of one that has parted from this peer, is from before they agreed to come together.
bool PeerSession::is_outdated(const FrameHeader& hello) const {
  const auto known = std::ranges::find(agreed_, hello.sender, &std::pair<PeerId, std::uint64_t>::first);
  return known != agreed_.end() && hello.iteration < known->second;
}

void PeerSession::say_taken_again(PeerId neighbor) {
  const auto offer = std::ranges::find(agreed_, neighbor, &std::pair<PeerId, std::uint64_t>::first);
  if (offer == agreed_.end()) return;
  say(PeerWord::Way::reply, neighbor, FrameKind::taken);
  outbox_.back().header.iteration = offer->second;
}

/// From a source that this peer has parted from.
PeerSession::Heard PeerSession::hear_parted(const FrameHeader& head, std::span<const std::byte> payload) {
  if (!find_source(head.sender) || (head.run_id != run_id_ && head.kind != FrameKind::hello))
    return Heard::garbage;
  if (!started_) {  // it joins, or will be joined: who has parted from this peer may be asked
    if (may_join() && (head.kind == FrameKind::parted || (head.kind == FrameKind::hello && head.slot == 1)))
      begin_joining(head.sender);
    return Heard::words;
  }
  switch (head.kind) {
    case FrameKind::join:
      hear_join(head.sender);
      return Heard::words;
    case FrameKind::parted:
      // That the edge be in again was agreed on, but it is too late for the other end.
      if (parted(head.sender)->offered) events_.push_back(OfferAnswered{head.sender, {}});
      return Heard::words;
    case FrameKind::hello:
      if (head.slot == 1) {
        answer_hello(head, payload);
        return Heard::words;
      }
      break;
    case FrameKind::offer:
      events_.push_back(AttachmentOffered{head.sender, head.iteration});
      return Heard::words;
    default:
      break;
  }
  // It may have taken an offer of this peer, which has not heard so yet; else it does not know that they have parted.
  if (!parted(head.sender)->offered) say(PeerWord::Way::reply, head.sender, FrameKind::parted);
  return Heard::words;
}

/// What a destination says about the edge itself; false where it is about something else.
bool PeerSession::hear_about_edge(PeerId destination, const FrameHeader& head) {
  const Parted* const edge = parted(destination);
  switch (head.kind) {
    case FrameKind::parted:
      if (may_join())
        begin_joining(destination);
      else if (!edge)
        events_.push_back(PeerDeparted{destination, parted_from_this});
      else if (edge->offered)
        events_.push_back(OfferAnswered{destination, {}});
      return true;
    case FrameKind::taken:
      if (edge && edge->offered) events_.push_back(OfferAnswered{destination, head.iteration});
      return true;
    case FrameKind::welcome:
      // Of two that have parted, and hear each other, the one with the lower id makes an offer; one that joins, when it has begun.
      if (edge && started_ && input_.self < destination) events_.push_back(NeighborReturned{destination});
      return false;
    default:
      return edge != nullptr;
  }
}

}  // namespace hearsay
