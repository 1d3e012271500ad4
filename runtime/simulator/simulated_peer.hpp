#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "runtime/network/link.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/round_clock.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// A frame between two peers.
struct InFlight {
  PeerId to;
  MessageKey key;
  PacketRef packet;
  MessageMetadata metadata;
  std::uint64_t frame_bytes;
  const ArrivalRate* fed;  ///< the rate of its link
};

/// The rates of links. Most links of many peers are like the one before, and share its rate.
class ArrivalRates {
 public:
  /// Returns where the rate is kept.
  const ArrivalRate* keep(const ArrivalRate& rate) {
    if (rates_.empty() || !are_alike(rates_.back(), rate)) rates_.push_back(rate);
    return &rates_.back();
  }

 private:
  static bool are_alike(const ArrivalRate& a, const ArrivalRate& b) {
    return a.up.constant == b.up.constant && a.up.trace == b.up.trace && a.own == b.own &&
           a.latency == b.latency;
  }

  std::deque<ArrivalRate> rates_;  // which stay where they are
};

/// A link to another peer.
struct LinkTo {
  PeerId to;
  Link link;
  const ArrivalRate* arrival;
};

/// A peer with its port, its links and its meters.
template <class Scalar>
struct SimulatedPeer {
  std::unique_ptr<Peer<Scalar>> peer;
  EgressPort egress;
  IngressPort ingress;
  SendingTime sending;
  std::vector<LinkTo> links = {};  ///< by destination, ascending
  PeerMeters meters = {};
  std::uint64_t gradients = 0;
  Instant waiting_since{};
  PeerTimeline timeline;
  RoundClock rounds;
};

/// Returns the meters of the peer as of now.
template <class Scalar>
const PeerMeters& read_meters(SimulatedPeer<Scalar>& simulated, Instant now) {
  simulated.meters.now = now - Instant{};
  simulated.meters.counters = simulated.peer->counters();
  return simulated.meters;
}

}  // namespace hearsay
