#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cluster/topology_settings.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/pairwise_links.hpp"

namespace hearsay {

/// The two bandwidths of a peer's port; unlimited by default.
struct PortBandwidths {
  Bandwidth up;
  Bandwidth down;
  bool operator==(const PortBandwidths&) const = default;
};

/// The network between any two peers, as a links file says it.
struct LinksFile {
  std::vector<std::string> names;     ///< of the peers, by id; "0", "1", ... if the file names none
  std::vector<PortBandwidths> ports;  ///< by id
  /// Every ordered pair of peers, by (from, to), with its latency; a bandwidth only if it has one of its own.
  std::vector<LinkOverride> links;

  PeerId peer_count() const { return static_cast<PeerId>(names.size()); }
  bool operator==(const LinksFile&) const = default;
};

/// Reads a links file:
///
///     latency = "5 ms"                 # of every link that no table gives one; and bandwidth
///     peers = 3                        # or [[peer]] tables; ids 0, 1, ... in their order
///     [[peer]]
///     name = "a"   bandwidth_up = "50 Mbit/s"   bandwidth_down = "100 Mbit/s"   # of its port; or bandwidth
///     [[link]]
///     from = "a"   to = "b"   latency = "5 ms"   bandwidth = "10 Mbit/s"        # in this direction
///
/// Bandwidths and latencies mean what they mean in [network] of a run file. A port without a bandwidth is
/// unlimited, and so is a link between two ports of which one is limited.
///
/// Throws Misuse, one sentence with file and line: an unknown key or peer; a negative time; a pair that is
/// given twice; a hole: a pair without a latency, or whose bandwidth nothing limits, unless "unlimited" says
/// so.
LinksFile parse_links(std::string_view toml, const std::string& source);
/// The same of a file; if it cannot be read, the Misuse names the setting by `label`.
LinksFile load_links_file(const std::filesystem::path& file, const std::string& label);

/// Returns the file's text, which parses back to an equal one.
std::string to_toml(const LinksFile& links);

PairwiseLinks pairwise(const LinksFile& links);

}  // namespace hearsay
