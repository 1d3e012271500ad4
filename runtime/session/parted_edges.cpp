#include "runtime/session/parted_edges.hpp"

#include <span>

#include "runtime/wire/words_to_neighbor.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

void PartedEdges::part(PeerId neighbor) {
  std::erase_if(out_, [&](const Edge& edge) { return edge.to == neighbor; });
  std::erase_if(restored_, [&](const auto& edge) { return edge.first == neighbor; });
  out_.push_back({neighbor});
}

void PartedEdges::restore(PeerId neighbor, std::uint64_t iteration) {
  ensure(contains(neighbor), "an edge that comes back is out");
  restored_.emplace_back(neighbor, iteration);
  std::erase_if(out_, [&](const Edge& edge) { return edge.to == neighbor; });
}

void PartedEdges::hear_removal(const FrameHeader& word, SessionContext& context) const {
  if (!is_outdated(word))
    context.events.push_back(
        PeerDeparted{word.sender, "it takes this peer for gone, or could not hear it", true});
}

void PartedEdges::hear_parted(const FrameHeader& parted, std::span<const std::byte> why,
                              SessionContext& context) const {
  if (!to_neighbor::as_parted(parted).leaves) return hear_removal(parted, context);
  context.events.push_back(PeerDeparted{parted.sender, "it " + how_it_left(why)});
}

void PartedEdges::hear_join(PeerId joiner, SessionContext& context) const {
  if (!context.has_started() || !context.input.model_bytes) return;
  if (!contains(joiner)) context.events.push_back(PeerDeparted{joiner, "it was started anew"});
  context.events.push_back(ModelAsked{joiner});
}

void PartedEdges::send_edge_request(const EdgeRequest& request, Retention& retention,
                                    SessionContext& context) {
  const PeerId neighbor = request.neighbor;
  switch (request.what) {
    case EdgeRequest::What::part:
    case EdgeRequest::What::leave: {
      const to_neighbor::Parted parted{request.what == EdgeRequest::What::leave};
      const SharedBytes why(std::as_bytes(std::span(request.why)));
      part(neighbor);
      // Said again even if it was said before: the first `parted` may be lost.
      if (context.is_destination(neighbor)) {
        retention.abandon(neighbor);
        context.say(PeerFrame::Way::outlet, neighbor, parted, why);
      }
      if (context.hears(neighbor)) context.say(PeerFrame::Way::reply, neighbor, parted, why);
      return;
    }
    case EdgeRequest::What::offer:
      ensure(contains(neighbor), "an edge that is offered is out");
      for (Edge& edge : out_)
        if (edge.to == neighbor) edge.offered = true;
      context.say(PeerFrame::Way::outlet, neighbor, FrameKind::offer).iteration = request.iteration;
      return;
    case EdgeRequest::What::take:
      restore(neighbor, request.iteration);
      return say_taken(neighbor, context);
    case EdgeRequest::What::agree:
      return restore(neighbor, request.iteration);
  }
}

void PartedEdges::say_taken(PeerId neighbor, SessionContext& context) const {
  if (const auto from = restored_from(neighbor))
    context.say(PeerFrame::Way::reply, neighbor, FrameKind::taken).iteration = *from;
}

void PartedEdges::hear_source(const FrameHeader& head, SessionContext& context) const {
  const bool offered = is_offered(head.sender);
  if (head.kind == FrameKind::offer) {
    context.events.push_back(AttachmentOffered{head.sender, head.iteration});
  } else if (head.kind == FrameKind::parted) {
    // The other end declines this peer's offer.
    if (offered) context.events.push_back(OfferAnswered{head.sender, {}});
  } else if (!offered) {
    // The source does not know that the edge is out. (If this peer has made an offer, the source may have
    // taken it, and its answer is still under way.)
    context.say(PeerFrame::Way::reply, head.sender, FrameKind::parted);
  }
}

bool PartedEdges::hear_destination(PeerId destination, const FrameHeader& head,
                                   SessionContext& context) const {
  const bool is_out = contains(destination);
  switch (head.kind) {
    case FrameKind::parted:
      if (is_offered(destination)) context.events.push_back(OfferAnswered{destination, {}});
      return true;
    case FrameKind::taken:
      if (is_offered(destination)) context.events.push_back(OfferAnswered{destination, head.iteration});
      return true;
    case FrameKind::welcome:
      // The welcome shows that both ends hear each other. The end with the lower id makes the offer; a
      // joining peer makes none before the run has started for it.
      if (is_out && context.has_started() && context.input.self < destination)
        context.events.push_back(NeighborReturned{destination});
      return false;
    default:
      return is_out;
  }
}

}  // namespace hearsay
