#pragma once

#include <cstdint>
#include <optional>

#include "runtime/peer/peer.hpp"
#include "runtime/session/events.hpp"

namespace hearsay {

/// Policy "drop": what becomes of an edge, as the peer wants its session to tell the other end.
struct EdgeWish {
  enum class What : std::uint8_t {
    part,   ///< it is out
    offer,  ///< it can be in again from `iteration` on, or later
    take,   ///< the other end's offer is taken: it is in from `iteration` on
    agree,  ///< the other end has taken this one's offer, for `iteration`
  };
  What what;
  PeerId neighbor;
  std::uint64_t iteration = 0;
};

/// An edge leaves: `news.id` is gone, or takes this peer for gone; or it was lost before, and answers
/// the offer no more.
template <class Scalar>
std::optional<EdgeWish> respond(Peer<Scalar>& peer, const PeerDeparted& news);

// How an edge comes back. Both ends have parted, and hear each other again: the one with the lower id
// offers the first iteration that it can do, and stops before it; the other takes the later one of both
// ends' first iterations, and says so. An answer that is lost is given again with the next offer.
// Whoever is too late says that it has parted. What is heard again after that changes nothing. Pure: the
// driver and the tests' simulator hand the wishes to the session.

template <class Scalar>
std::optional<EdgeWish> respond(Peer<Scalar>& peer, const NeighborReturned& news);
template <class Scalar>
std::optional<EdgeWish> respond(Peer<Scalar>& peer, const AttachmentOffered& news);
template <class Scalar>
std::optional<EdgeWish> respond(Peer<Scalar>& peer, const OfferAnswered& news);

}  // namespace hearsay
