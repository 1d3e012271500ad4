#include "runtime/record/link_uses.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace hearsay {

namespace {

constexpr PeerId most_blocks = 64;

auto ends_of(const LinkUse& link) { return std::pair(link.from, link.to); }

template <class Peer, class MetersOf>
std::vector<LinkUse> uses_of(const std::vector<Peer>& peers, MetersOf meters_of) {
  std::vector<LinkUse> said;
  for (PeerId id = 0; id < peers.size(); ++id) {
    const PeerMeters& meters = std::invoke(meters_of, peers[id]);
    for (const auto& [hearer, bytes] : meters.sent_to.by_hearer()) said.push_back({id, hearer, 0.0, bytes});
    for (const auto& [source, waited] : meters.waits.by_source())
      said.push_back({source, id, seconds(waited), 0});
  }
  return merged(std::move(said));
}

}  // namespace

std::vector<LinkUse> merged(std::vector<LinkUse> said) {
  std::ranges::stable_sort(said, {}, ends_of);
  std::size_t count = 0;
  for (const LinkUse& use : said) {
    if (count > 0 && ends_of(said[count - 1]) == ends_of(use)) {
      said[count - 1].seconds += use.seconds;
      said[count - 1].bytes += use.bytes;
    } else {
      said[count++] = use;
    }
  }
  said.resize(count);
  return said;
}

std::vector<LinkUse> link_uses(const std::vector<PeerMeters>& peers) {
  return uses_of(peers, std::identity());
}
std::vector<LinkUse> link_uses(const std::vector<PeerOutcome>& peers) {
  return uses_of(peers, &PeerOutcome::meters);
}

std::vector<LinkUse> longest_waits(std::span<const LinkUse> links, std::size_t most) {
  std::vector<std::uint32_t> places(links.size());
  for (std::uint32_t place = 0; place < places.size(); ++place) places[place] = place;
  const auto rank = [&](std::uint32_t place) {
    return std::tuple(links[place].seconds, links[place].bytes, ~place);
  };
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(most, places.size()));
  std::ranges::partial_sort(places, end, std::greater<>(), rank);
  std::vector<LinkUse> longest;
  for (auto place = places.begin(); place != end; ++place) longest.push_back(links[*place]);
  return longest;
}

LinkMap link_map(std::span<const LinkUse> links) {
  PeerId last = 0;
  for (const LinkUse& link : links) last = std::max({last, link.from, link.to});
  LinkMap map;
  map.side = last / most_blocks + 1;
  map.blocks = last / map.side + 1;
  std::map<std::pair<PeerId, PeerId>, LinkMap::Cell> cells;
  for (const LinkUse& link : links) {
    LinkMap::Cell& cell = cells[{link.from / map.side, link.to / map.side}];
    cell.seconds += link.seconds;
    cell.bytes += static_cast<double>(link.bytes);
    cell.links += 1;
  }
  for (const auto& [place, cell] : cells) {
    const auto count = static_cast<double>(cell.links);
    map.cells.push_back({place.first, place.second, cell.seconds / count, cell.bytes / count, cell.links});
  }
  return map;
}

}  // namespace hearsay
