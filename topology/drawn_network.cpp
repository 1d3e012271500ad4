#include "topology/drawn_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/geography.hpp"

namespace hearsay {
namespace {

std::optional<double> degrees(const std::string& text, double most, const std::string& key) {
  const std::string_view written = trimmed(text);
  if (written.empty()) return std::nullopt;
  double value = 0.0;
  if (!parse_number(written, value) || std::abs(value) > most)
    throw Misuse(key, std::string(written),
                 "expected degrees from " + number_text(-most) + " to " + number_text(most));
  return value;
}

std::optional<Place> place_of(const DrawnPeer& peer, const std::string& words) {
  const auto latitude = degrees(peer.latitude, 90.0, words + ": Latitude");
  const auto longitude = degrees(peer.longitude, 360.0, words + ": Longitude");
  if (!latitude || !longitude) return std::nullopt;
  return Place{*latitude, *longitude};
}

std::string fibre_latency(Place a, Place b) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f ms", seconds_in_fibre(a, b) * 1e3);
  return text;
}

}  // namespace

std::string bandwidth_of_speed(const DrawnLink& link, const std::string& place) {
  const std::string_view text = trimmed(link.speed);
  if (text.empty()) return "";
  double bits_per_s = 0.0;
  if (!parse_number(text, bits_per_s) || bits_per_s < 0.0)
    throw Misuse(place + ": LinkSpeedRaw", std::string(text), "expected a number of bits per second");
  if (bits_per_s == 0.0) return "";  // as some programs write that they do not know it
  char bandwidth[340];               // the longest number has 309 digits
  std::snprintf(bandwidth, sizeof bandwidth, "%.0f bit/s", bits_per_s);
  return bandwidth;
}

void add_network(AnnotatedGraph& graph, const std::vector<DrawnPeer>& peers, const std::string& format) {
  std::vector<std::optional<Place>> places;
  for (PeerId peer = 0; peer < peers.size(); ++peer)
    places.push_back(place_of(peers[peer], format + ": peer " + graph.peers[peer].name));
  std::size_t without_latency = 0;
  std::size_t without_bandwidth = 0;
  const std::size_t all = graph.links.size();
  for (std::size_t k = 0; k < all; ++k) {
    const Edge edge = graph.graph.edges()[k];
    const auto& a = places[edge.a];
    const auto& b = places[edge.b];
    const auto complete = [&](LinkNotes& notes) {
      if (notes.latency.empty() && a && b) notes.latency = fibre_latency(*a, *b);
    };
    complete(graph.links[k]);
    if (const auto strands = graph.strands.find(edge); strands != graph.strands.end()) {
      std::ranges::for_each(strands->second.there, complete);
      std::ranges::for_each(strands->second.back, complete);
    }
    without_latency += graph.links[k].latency.empty() ? 1 : 0;
    without_bandwidth += graph.links[k].bandwidth.empty() ? 1 : 0;
  }
  if (all > 0 && without_latency == all && without_bandwidth == all)
    throw Misuse(format +
                 ": there is no network in it; expected peers with Latitude and Longitude, or links with "
                 "LinkSpeedRaw, in bits per second, that is not 0");
  const auto say = [&](std::size_t without, const std::string& what) {
    if (without > 0)
      graph.notices.push_back(std::to_string(without) + " of " + std::to_string(all) + " links have no " +
                              what + ": theirs is that of [network]");
  };
  say(without_latency, "latency, since a peer has no Latitude and Longitude");
  say(without_bandwidth, "bandwidth, since LinkSpeedRaw is absent or is 0");
}

}  // namespace hearsay
