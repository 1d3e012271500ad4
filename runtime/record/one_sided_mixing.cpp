#include "runtime/record/one_sided_mixing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace hearsay {

namespace {

/// The partings of both ends of an edge, each end's in the order in which it recorded them.
struct EdgePartings {
  std::vector<Parting> at_lower;  ///< at the end with the lower id
  std::vector<Parting> at_higher;
};

/// Edges by their ends, the lower id first. An edge that no end has taken out is in at both, and not here.
using PartedEdges = std::map<std::pair<PeerId, PeerId>, EdgePartings>;

PartedEdges parted_edges(const std::vector<PeerOutcome>& peers) {
  PartedEdges edges;
  for (PeerId id = 0; id < peers.size(); ++id)
    for (const Parting& parting : peers[id].partings) {
      if (parting.neighbor >= peers.size() || peers[id].gone || peers[parting.neighbor].gone) continue;
      if (id < parting.neighbor) edges[{id, parting.neighbor}].at_lower.push_back(parting);
      if (id > parting.neighbor) edges[{parting.neighbor, id}].at_higher.push_back(parting);
    }
  return edges;
}

/// Returns the parting by which the edge is out in `iteration`; null if it is in.
const Parting* parting_at(const std::vector<Parting>& partings, std::uint64_t iteration) {
  const auto found = std::ranges::find_if(partings, [iteration](const Parting& parting) {
    return parting.from <= iteration && iteration < parting.until;
  });
  return found == partings.end() ? nullptr : &*found;
}

/// Returns the first iteration in which an end knows the edge. Before, one of the ends was absent, or was an
/// earlier process whose records are lost.
std::uint64_t first_known(const std::vector<Parting>& partings) {
  std::uint64_t first = 0;
  for (const Parting& parting : partings)
    if (parting.from == 0) first = std::max(first, parting.until);
  return first;
}

/// Returns the iterations at which the edge may change at either end, ascending, from the first that both
/// know to `end`, the one after the last that both have ended.
std::vector<std::uint64_t> changes_of(const EdgePartings& edge, std::uint64_t end) {
  const std::uint64_t begin = std::max(first_known(edge.at_lower), first_known(edge.at_higher));
  if (begin >= end) return {};
  std::vector<std::uint64_t> changes = {begin, end};
  for (const std::vector<Parting>* const partings : {&edge.at_lower, &edge.at_higher})
    for (const Parting& parting : *partings)
      for (const std::uint64_t iteration : {parting.from, parting.until})
        if (begin < iteration && iteration < end) changes.push_back(iteration);
  std::ranges::sort(changes);
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  return changes;
}

}  // namespace

std::vector<OneSidedMixing> one_sided_mixings(const std::vector<PeerOutcome>& peers) {
  std::vector<OneSidedMixing> mixings;
  for (const auto& [ends, edge] : parted_edges(peers)) {
    const auto [lower, higher] = ends;
    const std::uint64_t end = std::min(peers[lower].iterations, peers[higher].iterations) + 1;
    const std::vector<std::uint64_t> changes = changes_of(edge, end);
    for (std::size_t k = 0; k + 1 < changes.size(); ++k) {
      const Parting* const at_lower = parting_at(edge.at_lower, changes[k]);
      const Parting* const at_higher = parting_at(edge.at_higher, changes[k]);
      if (!at_lower == !at_higher) continue;
      const Parting& parting = at_lower ? *at_lower : *at_higher;
      mixings.push_back(
          {at_lower ? higher : lower, at_lower ? lower : higher, changes[k], changes[k + 1], parting.weight});
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
