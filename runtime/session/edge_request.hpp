#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/peer/peer_state.hpp"
#include "runtime/session/events.hpp"

namespace hearsay {

/// Policy "drop": a change of an edge that the peer has decided on. The session notes the change and tells
/// the other end (PeerSession::send_edge_request).
struct EdgeRequest {
  enum class What : std::uint8_t {
    part,   ///< the edge is out
    leave,  ///< the edge is out, since this peer's process ends
    offer,  ///< this peer offers that the edge be in again from `iteration` on, or later
    take,   ///< this peer takes the other end's offer: the edge is in from `iteration` on
    agree,  ///< the other end has taken this peer's offer: the edge is in from `iteration` on
  };
  What what;
  PeerId neighbor;
  std::uint64_t iteration = 0;
  std::string why = {};  ///< of `leave`: a clause, told to the neighbor
};

// Each `respond` updates the peer and returns what its session has to tell the other end, if anything. Pure:
// the driver and the tests' simulator hand the result to the session.

/// An edge leaves. Also withdraws an offer of that edge. Returns `part`; empty if `news.id` is no neighbor,
/// or was lost before and has no offer.
template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const PeerDeparted& news);

// How an edge comes back, once both ends have parted and hear each other again:
//
//   1. The end with the lower id offers the first iteration from which it can have the edge in. It does not
//      begin the iteration before that one until the offer is answered.
//   2. The other end takes the offer, for the later of the two ends' first iterations, and answers with it.
//      If the answer is lost, the next offer gets the same answer.
//   3. An end for which the iteration comes too late answers `parted`: the edge stays out.
//
// Repeated news of an edge that is in again changes nothing.

template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const NeighborReturned& news);
template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const AttachmentOffered& news);
template <class Scalar>
std::optional<EdgeRequest> respond(Peer<Scalar>& peer, const OfferAnswered& news);

}  // namespace hearsay
