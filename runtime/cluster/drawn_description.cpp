#include "runtime/cluster/drawn_description.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "runtime/cluster/address.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

Setting as_setting(const std::string& place, const std::string& key, const std::string& text) {
  return Setting{key, {text, {std::make_shared<const std::string>(place), 0}}};
}

/// What one of several lines between two peers says.
struct Strand {
  std::optional<double> weight;
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
};

Strand read_strand(const LinkNotes& notes, const std::string& place, bool with_weights) {
  Strand strand;
  if (with_weights) {
    require_number(notes, place);
    strand.weight = notes.weight;
  }
  if (!notes.latency.empty()) strand.latency = as_setting(place, "latency", notes.latency).duration();
  if (!notes.bandwidth.empty())
    strand.bandwidth = as_setting(place, "bandwidth", notes.bandwidth).bandwidth();
  if (strand.weight && (*strand.weight == 0.0 || !std::isfinite(*strand.weight)))
    throw Misuse(place + ": weight", toml_number(*strand.weight), "expected a number other than 0");
  return strand;
}

/// Returns `combine(a, b)`, or the one that is there.
template <class Value, class Combine>
std::optional<Value> both_or_either(const std::optional<Value>& a, const std::optional<Value>& b,
                                    const Combine& combine) {
  if (a && b) return combine(*a, *b);
  return a ? a : b;
}

Bandwidth sum(Bandwidth a, Bandwidth b) {
  return a.unlimited() || b.unlimited() ? Bandwidth{} : Bandwidth{a.bytes_per_s + b.bytes_per_s};
}

Bandwidth smaller(Bandwidth a, Bandwidth b) {
  if (a.unlimited() || b.unlimited()) return a.unlimited() ? b : a;
  return a.bytes_per_s < b.bytes_per_s ? a : b;
}

Strand side_by_side(const Strand& a, const Strand& b) {
  return {both_or_either(a.weight, b.weight, std::plus<double>()),
          both_or_either(a.latency, b.latency, [](Duration x, Duration y) { return std::min(x, y); }),
          both_or_either(a.bandwidth, b.bandwidth, sum)};
}

Strand there_and_back(const Strand& a, const Strand& b) {
  return {both_or_either(a.weight, b.weight, [](double x, double y) { return (x + y) / 2.0; }),
          both_or_either(a.latency, b.latency, [](Duration x, Duration y) { return std::max(x, y); }),
          both_or_either(a.bandwidth, b.bandwidth, smaller)};
}

Strand merged(const LinkStrands& strands, const std::string& place, bool with_weights) {
  const auto one_direction = [&](const std::vector<LinkNotes>& lines) {
    Strand together;
    for (const LinkNotes& notes : lines)
      together = side_by_side(together, read_strand(notes, place, with_weights));
    return together;
  };
  return there_and_back(one_direction(strands.there), one_direction(strands.back));
}

}  // namespace

TopologyDescription describe(const AnnotatedGraph& drawn, const std::string& source, bool with_weights) {
  TopologyDescription description;
  description.source = source;
  description.peer_count = drawn.graph.peer_count();
  description.notices = drawn.notices;
  for (const PeerNotes& notes : drawn.peers) {
    NamedPeer peer{notes.name, {}, {}};
    if (!notes.address.empty())
      peer.address = read_address(as_setting(source + ", peer " + notes.name, "address", notes.address));
    description.peers.push_back(std::move(peer));
  }
  check_addresses(description);
  for (std::size_t index = 0; index < drawn.links.size(); ++index) {
    const Edge edge = drawn.graph.edges()[index];
    const std::string place =
        source + ", link " + drawn.peers[edge.a].name + " - " + drawn.peers[edge.b].name;
    const auto strands = drawn.strands.find(edge);
    const Strand strand = strands == drawn.strands.end()
                              ? read_strand(drawn.links[index], place, with_weights)
                              : merged(strands->second, place, with_weights);
    description.links.push_back({edge.a, edge.b, strand.weight, strand.latency, strand.bandwidth, place});
  }
  if (with_weights)
    description.self_weights = drawn.self_weights;
  else if (!drawn.self_weights.empty())
    description.notices.push_back(
        "links of a peer with itself left out, since their weights are read only with "
        "explicit weights");
  return description;
}

}  // namespace hearsay
