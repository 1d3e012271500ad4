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

/// A peer as a topology file describes it.
struct NamedPeer {
  std::string name;     ///< its id as text if the file gives no name
  std::string address;  ///< "tcp://HOST:PORT" for its neighbors; empty if the driver chooses
  std::string host;     ///< where `hearsay launch` starts it over ssh, "user@node1"; empty: where launch runs
  std::string bind = {};  ///< where the peer listens if not at its address: "tcp://*:7000"
  LaunchSettings launch = {};
  bool operator==(const NamedPeer&) const = default;
};

/// A topology: graph, weights, peers and links.
struct NamedTopology {
  Graph graph;  ///< connected
  MixingMatrix mixing;
  std::vector<NamedPeer> peers;  ///< one per peer, by id
  std::vector<LinkOverride>
      links;                       ///< directed links that have their own latency or bandwidth, by (from, to)
  std::string observer;            ///< "tcp://HOST:PORT" where peer 0 collects evaluations; may be empty
  std::string family;              ///< "ring"; empty if the file lists its links
  std::string weights;             ///< "metropolis", ..., "explicit", or "one-way"
  std::string observer_bind = {};  ///< where the observer listens, if not at its address
  bool weights_may_change = false;        ///< neither run nor file name the weights, so they are metropolis
  std::vector<std::string> notices = {};  ///< what was left out or decided when the file was read
};

/// Reads a topology file: GraphML (.graphml), DOT (.dot, .gv), GEXF (.gexf), GML (.gml), node-link JSON
/// (.json), an edge list (.edgelist, .edges) or, with any other ending, TOML. In graph files, nodes may have
/// the attribute `address`; edges may have `weight`, `latency` and `bandwidth`. What is no topology as it
/// stands is mended as far as `mending` says. In TOML:
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
/// With ranges in brackets, a [[peer]] stands for many (see `expand_ranges`): name = "n[01-16]", host =
/// "node[01-16]", address = "tcp://10.0.0.[1-16]:7000"; directory may have a range, too. The ranges step
/// together. A key without a range is the same for all. The ends of a [[link]] may have ranges, which step
/// together as well, and *: "n*" is every peer whose name begins with n.
///
/// The ends of a link are names, or ids as numbers. A link is undirected, and its weight, latency and
/// bandwidth hold both ways. A one-way link is not: `to` hears `from`, but `from` does not hear `to`. One-way
/// links are for push-sum methods; a file with one-way links must not give weights.
///
/// A weight on every link means explicit weights; the self weights make the rows sum to 1. The argument
/// `weights` (topology.weights of the run) holds if the file gives none. In graph files a `weight` may
/// mean anything, so it is a mixing weight only if the argument is "explicit". `seed` matters only to random
/// families.
///
/// Throws Misuse, one sentence with file and line, for:
///   an unknown key or peer (the nearest known name is given); a link that is given twice, or joins a peer to
///   itself; weights on some links only, beside one-way links, other than the run's, or such that the peers
///   never agree; an address of a wrong form, used twice, or missing while other peers have one; a graph that
///   is not connected.
NamedTopology load_topology_file(const std::filesystem::path& file, std::uint64_t seed,
                                 const std::string& weights = "auto", GraphMending mending = {});

/// True if the name has the ending of a topology file.
bool has_ending_of_topology(const std::filesystem::path& file);

struct TopologyDescription;

/// The same as `load_topology_file`, of a description that is read.
NamedTopology build_topology(TopologyDescription description, std::uint64_t seed, const std::string& weights,
                             const GraphMending& mending);

/// Returns the topology of a run: from topology.file and its weights, or from kind, peers and weights. The
/// kind "auto" is a ring.
NamedTopology make_named_topology(const TopologySettings& topology, std::uint64_t seed);

/// Returns the cluster as a TOML topology file, which parses back to an equal topology.
std::string to_toml(const NamedTopology& topology);

/// Returns the cluster as a graph for `to_dot` and `to_graphml`. `load_topology_file` reads these formats
/// back. They carry no hosts, bind addresses or launch settings, no observer, and no name of a family or of
/// weights.
AnnotatedGraph annotated(const NamedTopology& topology);

/// Returns how many peers the file describes, without making graph or weights.
PeerId peer_count_of_topology_file(const std::filesystem::path& file, const std::string& label);

/// True if the file gives addresses to its peers. Makes no graph or weights either.
bool has_addresses(const std::filesystem::path& file);

}  // namespace hearsay
