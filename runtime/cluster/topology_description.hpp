#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// A link that a topology file lists, with its ends as ids.
struct DescribedLink {
  PeerId a;
  PeerId b;
  std::optional<double> weight;
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
  std::string place;     ///< for messages: "cluster.toml:12", or "net.dot, link a - b"
  bool one_way = false;  ///< b hears a, not a b
};

/// The content of a topology file, checked key by key. Graph and weights are made from it.
struct TopologyDescription {
  std::string source;   ///< the file, for messages
  std::string family;   ///< empty if the file lists its links
  std::string weights;  ///< empty if the file gives none
  std::string observer;
  std::string observer_bind;
  PeerId peer_count = 0;
  std::vector<NamedPeer> peers;  ///< in the order of the file; empty if the file only counts them
  std::vector<DescribedLink> links;
  std::map<PeerId, double> self_weights;  ///< what the file says of w_ii
  std::vector<std::string> notices;       ///< what the reader left out or decided, a sentence each
};

/// Reads the keys of a TOML topology file. Throws Misuse for an error in a key, a peer or a link.
TopologyDescription parse_cluster_description(std::string_view toml_text, const std::string& source);

/// Misuse if an address is there twice, or missing at some peers only.
void check_addresses(const TopologyDescription& description);

/// Returns every link with its own latency or bandwidth, in both directions unless it is one-way, sorted by
/// (from, to).
std::vector<LinkOverride> link_overrides(const TopologyDescription& description);

}  // namespace hearsay
