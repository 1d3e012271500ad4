#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// Where the links of a topology file have their latency and bandwidth from, if the file does not say them.
enum class NetworkFrom {
  settings,  ///< [network]
  geo,       ///< the places of the peers and the speeds of the links
};

/// [topology] of a run file.
struct TopologySettings {
  std::string kind = "auto";  ///< ring, or star if the method has a hub
  PeerId peers = 8;
  std::string weights = "auto";  ///< metropolis, or what the method needs instead
  std::string schedule = "static";
  std::filesystem::path file;      ///< a topology file instead of kind and peers
  double participation = 1.0;      ///< the share of the peers that take part in a round
  HubData hub = HubData::its_own;  ///< of a method with a hub
  /// How long a hub waits for the answers of a round, from when it has told its model. 0: until all are
  /// there.
  Duration round_deadline{0};
  NetworkFrom network_from = NetworkFrom::settings;
  std::filesystem::path availability = {};  ///< the file that says when each peer is there; empty: always
  /// True if a hub closes a round before all have answered.
  bool rounds_close() const { return round_deadline != Duration{0}; }
  /// The peers with data: all of them, unless a hub has none.
  PeerId workers() const { return hub == HubData::none ? peers - 1 : peers; }
  bool operator==(const TopologySettings&) const = default;
};

/// The latency and bandwidth of one directed link: [[network.link]]. A latency replaces the sender's; a
/// bandwidth limits the link in addition to the ports at its ends.
struct LinkOverride {
  PeerId from;
  PeerId to;
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
  bool operator==(const LinkOverride&) const = default;
};

}  // namespace hearsay
