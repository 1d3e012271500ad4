#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/toml/setting.hpp"
#include "topology/interchange.hpp"

namespace hearsay {

/// A link as a topology file lists it, its ends resolved to ids.
struct DescribedLink {
  PeerId a;
  PeerId b;
  std::optional<double> weight;
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
  std::string place;     ///< "cluster.toml:12", or "net.dot, link a - b"
  bool one_way = false;  ///< b hears a, not a b
};

/// What a topology file says, checked key by key, before graph and weights are made of it.
struct ClusterDescription {
  std::string source;   ///< the file, for messages
  std::string family;   ///< empty: the links below
  std::string weights;  ///< empty: the file says none
  std::string observer;
  std::string observer_bind;
  PeerId peer_count = 0;
  std::vector<ClusterPeer> peers;  ///< as listed; empty where the file only counts them
  std::vector<DescribedLink> links;
};

/// Reads the keys of a TOML description; Misuse for what a single key, peer or link has wrong.
ClusterDescription parse_cluster_description(std::string_view toml_text, const std::string& source);

/// The description that a graph drawn elsewhere gives, its attributes checked as those of a TOML file are;
/// without the weights of its links unless `with_weights`.
ClusterDescription describe(const AnnotatedGraph& drawn, const std::string& source, bool with_weights);

/// Both directions of every link that has a network of its own, by (from, to).
std::vector<LinkOverride> link_overrides(const ClusterDescription& description);

}  // namespace hearsay
