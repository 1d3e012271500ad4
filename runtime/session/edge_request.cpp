#include "runtime/session/edge_request.hpp"

#include <algorithm>

#include "runtime/peer/peer.hpp"

namespace hearsay {

template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const PeerDeparted& news) {
  if (!peer.role().deals_with(news.id)) return std::nullopt;
  const bool was_lost = peer.role().has_lost(news.id);
  const std::vector<PeerId> offered = peer.neighbors().offered();
  if (was_lost && std::ranges::find(offered, news.id) == offered.end()) return std::nullopt;
  peer.withdraw(news.id);
  if (!was_lost) peer.lose(news.id);
  return EdgeRequest{EdgeRequest::What::part, news.id};
}

template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const NeighborReturned& news) {
  if (!peer.neighborhood()->is_lost(news.id)) return std::nullopt;
  const auto iteration = peer.offer(news.id);
  if (!iteration) return std::nullopt;
  return EdgeRequest{EdgeRequest::What::offer, news.id, *iteration};
}

template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const AttachmentOffered& news) {
  if (!peer.neighborhood()->is_lost(news.id)) return std::nullopt;
  const std::uint64_t iteration = std::max(news.iteration, peer.earliest_attachment());
  if (!peer.attach(news.id, iteration)) return EdgeRequest{EdgeRequest::What::part, news.id};
  return EdgeRequest{EdgeRequest::What::take, news.id, iteration};
}

template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const OfferAnswered& news) {
  if (!peer.neighborhood()->is_lost(news.id)) return std::nullopt;
  if (!news.iteration) {
    peer.withdraw(news.id);
    return std::nullopt;
  }
  if (!peer.attach(news.id, *news.iteration)) return EdgeRequest{EdgeRequest::What::part, news.id};
  return EdgeRequest{EdgeRequest::What::agree, news.id, *news.iteration};
}

#define HEARSAY_RESPOND(Scalar)                                                                 \
  template std::optional<EdgeRequest> respond<Scalar>(Peer<Scalar>&, const PeerDeparted&);      \
  template std::optional<EdgeRequest> respond<Scalar>(Peer<Scalar>&, const NeighborReturned&);  \
  template std::optional<EdgeRequest> respond<Scalar>(Peer<Scalar>&, const AttachmentOffered&); \
  template std::optional<EdgeRequest> respond<Scalar>(Peer<Scalar>&, const OfferAnswered&);
HEARSAY_RESPOND(float)
HEARSAY_RESPOND(double)
#undef HEARSAY_RESPOND

}  // namespace hearsay
