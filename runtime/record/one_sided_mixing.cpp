#include "runtime/record/one_sided_mixing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace hearsay {

namespace {

/// Returns the parting by which the edge to `neighbor` is out in `iteration`; null if the edge is in.
const Parting* parting_at(const PeerOutcome& peer, PeerId neighbor, std::uint64_t iteration) {
  for (const Parting& parting : peer.partings)
    if (parting.neighbor == neighbor && parting.from <= iteration && iteration < parting.until)
      return &parting;
  return nullptr;
}

/// Returns the first iteration in which `peer` knows the edge to `neighbor`. Before, one of the ends was
/// absent, or was an earlier process whose records are lost.
std::uint64_t first_known(const PeerOutcome& peer, PeerId neighbor) {
  std::uint64_t first = 0;
  for (const Parting& parting : peer.partings)
    if (parting.neighbor == neighbor && parting.from == 0) first = std::max(first, parting.until);
  return first;
}

/// Returns the iterations at which the edge may change at either end, ascending, from the first that both
/// know to the one after the last that both have ended.
std::vector<std::uint64_t> changes_between(const PeerOutcome& one, PeerId id_of_one, const PeerOutcome& other,
                                           PeerId id_of_other) {
  const std::uint64_t begin = std::max(first_known(one, id_of_other), first_known(other, id_of_one));
  const std::uint64_t end = std::min(one.iterations, other.iterations) + 1;
  if (begin >= end) return {};
  std::vector<std::uint64_t> changes = {begin, end};
  const auto add = [&](const PeerOutcome& peer, PeerId neighbor) {
    for (const Parting& parting : peer.partings)
      if (parting.neighbor == neighbor)
        for (const std::uint64_t iteration : {parting.from, parting.until})
          if (begin < iteration && iteration < end) changes.push_back(iteration);
  };
  add(one, id_of_other);
  add(other, id_of_one);
  std::ranges::sort(changes);
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  return changes;
}

}  // namespace

std::vector<OneSidedMixing> one_sided_mixings(const std::vector<PeerOutcome>& peers) {
  std::vector<OneSidedMixing> mixings;
  for (PeerId i = 0; i < peers.size(); ++i)
    for (PeerId j = i + 1; j < peers.size(); ++j) {
      if (peers[i].gone || peers[j].gone) continue;
      const std::vector<std::uint64_t> changes = changes_between(peers[i], i, peers[j], j);
      for (std::size_t k = 0; k + 1 < changes.size(); ++k) {
        const Parting* const out_at_i = parting_at(peers[i], j, changes[k]);
        const Parting* const out_at_j = parting_at(peers[j], i, changes[k]);
        if (!out_at_i == !out_at_j) continue;
        const Parting& parting = out_at_i ? *out_at_i : *out_at_j;
        mixings.push_back({out_at_i ? j : i, out_at_i ? i : j, changes[k], changes[k + 1], parting.weight});
      }
    }
  return mixings;
}

double mean_shift_at_most(const OneSidedMixing& mixing, std::size_t peer_count,
                          const std::vector<Evaluation>& evaluations) {
  const auto after = std::ranges::lower_bound(evaluations, mixing.from, {}, &Evaluation::iteration);
  double consensus_distance = after == evaluations.end() ? 0.0 : after->consensus_distance;
  if (after != evaluations.begin())
    consensus_distance = std::max(consensus_distance, std::prev(after)->consensus_distance);
  return static_cast<double>(mixing.until - mixing.from) * mixing.weight *
         std::sqrt(2.0 / static_cast<double>(peer_count)) * consensus_distance;
}

}  // namespace hearsay
