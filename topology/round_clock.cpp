#include "topology/round_clock.hpp"

#include <algorithm>

namespace hearsay {

namespace {

/// Rounds that are played, and those of them that are left out.
constexpr std::uint32_t played_rounds = 24;
constexpr std::uint32_t first_counted_round = 8;

}  // namespace

RoundClock::RoundClock(const PairwiseLinks& links, double message_bytes)
    : links_(links), bytes_(message_bytes) {
  const std::size_t pairs = std::size_t{links.peer_count()} * links.peer_count();
  received_.resize(pairs);
  link_free_.resize(pairs);
}

double RoundClock::message_seconds(PeerId from, PeerId to) const {
  const PairwiseLinks::Link& link = links_.link(from, to);
  return link.latency_s + bytes_ / std::min({links_.port(from).up_bytes_per_s, link.bytes_per_s,
                                             links_.port(to).down_bytes_per_s});
}

double RoundClock::least_seconds(PeerId a, PeerId b) const {
  return std::max((message_seconds(a, b) + message_seconds(b, a)) / 2.0,
                  bytes_ / std::min(links_.link(a, b).bytes_per_s, links_.link(b, a).bytes_per_s));
}

double RoundClock::least_seconds(const NeighborLists& neighbors) const {
  double least = 0.0;
  for (PeerId peer = 0; peer < neighbors.size(); ++peer) {
    const PairwiseLinks::Port& port = links_.port(peer);
    const double bytes = bytes_ * static_cast<double>(neighbors[peer].size());
    least = std::max({least, bytes / port.up_bytes_per_s, bytes / port.down_bytes_per_s});
    for (const PeerId other : neighbors[peer])
      if (peer < other) least = std::max(least, least_seconds(peer, other));
  }
  return least;
}

void RoundClock::start(const NeighborLists& neighbors) {
  const std::size_t n = neighbors.size();
  places_.assign(n, {});
  heap_.clear();
  sent_ = 0;
  for (PeerId peer = 0; peer < n; ++peer) {
    places_[peer].missing = neighbors[peer].size();
    for (const PeerId other : neighbors[peer]) {
      link_free_[peer * n + other] = 0.0;
      received_[peer * n + other] = 0;
    }
  }
}

void RoundClock::send_all(PeerId peer, double now, std::span<const PeerId> neighbors) {
  const double up = links_.port(peer).up_bytes_per_s;
  const auto first = std::ranges::upper_bound(neighbors, peer) - neighbors.begin();
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    const PeerId to = neighbors[(static_cast<std::size_t>(first) + k) % neighbors.size()];
    const PairwiseLinks::Link& link = links_.link(peer, to);
    const double begin = std::max(now, places_[peer].egress_free);
    double& free = link_free_[peer * places_.size() + to];
    places_[peer].egress_free = begin + bytes_ / up;
    const double end = std::max(places_[peer].egress_free, std::max(begin, free) + bytes_ / link.bytes_per_s);
    free = end;
    heap_.push_back({end + link.latency_s, sent_++, peer, to});
    std::ranges::push_heap(heap_, Arrival::later);
  }
}

double RoundClock::receive(const Arrival& arrival) {
  const double fed = bytes_ / std::min(links_.port(arrival.from).up_bytes_per_s,
                                       links_.link(arrival.from, arrival.to).bytes_per_s);
  Place& receiver = places_[arrival.to];
  receiver.ingress_free = std::max(arrival.due, std::max(receiver.ingress_free, arrival.due - fed) +
                                                    bytes_ / links_.port(arrival.to).down_bytes_per_s);
  return receiver.ingress_free;
}

double RoundClock::seconds_per_round(const NeighborLists& neighbors) {
  const std::size_t n = neighbors.size();
  if (n < 2) return 0.0;
  start(neighbors);
  for (PeerId peer = 0; peer < n; ++peer) send_all(peer, 0.0, neighbors[peer]);
  double counted_from = 0.0;
  double last = 0.0;
  std::size_t there = 0;  // peers that have ended all rounds
  while (there < n && !heap_.empty()) {
    std::ranges::pop_heap(heap_, Arrival::later);
    const Arrival arrival = heap_.back();
    heap_.pop_back();
    const double now = receive(arrival);
    Place& peer = places_[arrival.to];
    // A neighbor is at most a round ahead, since it waits for this peer.
    if (received_[arrival.to * n + arrival.from]++ > peer.round) {
      ++peer.early;
      continue;
    }
    if (--peer.missing > 0) continue;
    ++peer.round;
    peer.missing = neighbors[arrival.to].size() - peer.early;
    peer.early = 0;
    if (peer.round == first_counted_round) counted_from = std::max(counted_from, now);
    last = std::max(last, now);
    if (peer.round == played_rounds)
      ++there;
    else
      send_all(arrival.to, now, neighbors[arrival.to]);
  }
  // What fast peers were ahead when counting began can hide a little of the time.
  return std::max(least_seconds(neighbors), (last - counted_from) / (played_rounds - first_counted_round));
}

}  // namespace hearsay
