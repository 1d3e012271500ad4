#include "runtime/departures.hpp"

#include <algorithm>

namespace hearsay {

namespace {

const PartedEdge* find(const std::vector<PartedEdge>& departures, PeerId neighbor) {
  const auto found = std::ranges::find(departures, neighbor, &PartedEdge::neighbor);
  return found == departures.end() ? nullptr : &*found;
}

}  // namespace

void Departures::lose(PeerId neighbor) {
  if (!is_lost(neighbor)) lost_.push_back(neighbor);
}

bool Departures::is_lost(PeerId neighbor) const { return std::ranges::find(lost_, neighbor) != lost_.end(); }

void Departures::depart(PeerId neighbor, std::uint64_t iteration) {
  if (!find(departures_, neighbor)) departures_.push_back({neighbor, iteration});
}

bool Departures::is_out(const MessageKey& key) const {
  const PartedEdge* const departure = find(departures_, key.sender);
  return departure && key.iteration >= departure->from;
}

MixingRow Departures::narrowed(const MixingRow& row) const {
  MixingRow left = row;
  std::erase_if(left.hears, [&](const WeightedNeighbor& neighbor) {
    if (!find(departures_, neighbor.id)) return false;
    left.self_weight += neighbor.weight;
    return true;
  });
  std::erase_if(left.heard_by, [&](PeerId id) { return find(departures_, id) != nullptr; });
  return left;
}

}  // namespace hearsay
