#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cluster/launch_settings.hpp"
#include "runtime/cluster/topology_settings.hpp"
#include "topology/graph.hpp"
#include "topology/interchange.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// A participant as a topology file names it.
struct ClusterPeer {
  std::string name;     ///< its id as text where the file gives none
  std::string address;  ///< "tcp://HOST:PORT" where its neighbors find it; empty where the driver chooses
  std::string host;  ///< where `hearsay launch` starts it over ssh, "user@node1"; empty: where it runs itself
  std::string bind = {};  ///< where it listens, if not at its address: "tcp://*:7000"
  LaunchSettings launch = {};
  bool operator==(const ClusterPeer&) const = default;
};

/// A topology with everything a run needs of it.
struct Cluster {
  Graph graph;  ///< connected
  MixingMatrix mixing;
  std::vector<ClusterPeer> peers;  ///< one per peer, by id
  std::vector<LinkOverride>
      links;                       ///< both directions of a link that has a network of its own; by (from, to)
  std::string observer;            ///< "tcp://HOST:PORT" where peer 0 collects evaluations; may be empty
  std::string family;              ///< "ring"; empty where the file lists its links
  std::string weights;             ///< "metropolis", ..., "explicit", or "one-way"
  std::string observer_bind = {};  ///< where the observer listens, if not at its address
};

/// A topology description file: TOML, or by its name's ending GraphML (.graphml) or DOT (.dot, .gv), whose
/// nodes may have the attribute `address` and whose edges `weight`, `latency` and `bandwidth`. In TOML:
///
///     weights = "metropolis"          # any of topology.weights, or "explicit"
///     observer = "tcp://10.0.0.1:6999"                                           # and observer_bind
///     family = "ring"                 # or [[link]] entries
///     peers = 8                       # or [[peer]] entries; ids 0, 1, ... in their order
///     [[peer]]
///     name = "a"   address = "tcp://10.0.0.1:7000"   host = "user@node1"      # one key a line
///     bind = "tcp://*:7000"           # only where a peer does not listen at its address: NAT, containers
///     [launch]                        # what ssh needs; see LaunchSettings. A [[peer]] may have these, too
///     [[link]]
///     from = "a"   to = "b"   weight = 0.25   latency = "5 ms"   bandwidth = "10 Mbit/s"   one_way = false
///
/// Ranges in brackets make one [[peer]] many (see `expand_ranges`): name = "n[01-16]", host = "node[01-16]",
/// address = "tcp://10.0.0.[1-16]:7000", and directory; they step together, and what has no range is the same
/// for all. The ends of a [[link]] may have ranges, which step together as well, and *: "n*" is every peer
/// whose name begins with n.
///
/// A link is undirected, its weight, latency and bandwidth hold both ways, unless it is one-way: `to` then
/// hears `from` only. One-way links are for push-sum methods; a file that has any gives no weights. Ends are
/// names, or ids as numbers. A weight on every link means explicit weights: the self weights make the rows
/// sum to 1. `weights` are those that the run wants; they hold for a file that says none. In GraphML and DOT,
/// where any drawing may have a `weight`, those of the links are mixing weights only if the run wants
/// "explicit" ones. `seed` matters to random families only.
///
/// Misuse, one sentence with file and line: an unknown key or peer (names the nearest), a link given twice or
/// to itself, weights on some links only, weights with which the peers never agree, or other than the run
/// wants, or beside one-way links, addresses of a wrong form, shared, or of some peers only, and a graph that
/// is not connected.
Cluster load_cluster_file(const std::filesystem::path& file, std::uint64_t seed,
                          const std::string& weights = "metropolis");

/// The same from TOML text.
Cluster parse_cluster(std::string_view toml_text, std::uint64_t seed,
                      const std::string& file_name_for_messages, const std::string& weights = "metropolis");

/// The topology of a run: its file and topology.weights, or its kind, peers and weights.
Cluster make_cluster(const TopologySettings& topology, std::uint64_t seed);

/// The description file; parses back to the same cluster.
std::string to_toml(const Cluster& cluster);

/// The cluster as a graph to be drawn, for `to_dot` and `to_graphml`; `load_cluster_file` reads it back, but
/// for hosts, the observer, and a family or weights by name, which these formats do not carry.
AnnotatedGraph annotated(const Cluster& cluster);

/// How many peers the file describes; costs no mixing matrix.
PeerId peer_count_of_cluster_file(const std::filesystem::path& file);

/// Whether the file says where its peers listen; as cheap.
bool has_addresses(const std::filesystem::path& file);

}  // namespace hearsay
