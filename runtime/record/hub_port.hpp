#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "runtime/record/outcome.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// What goes through the port of the hub, peer 0. The two ways do not delay each other.
struct HubPort {
  std::optional<double> seconds_to_workers;    ///< that the port is busy; empty if its bandwidth is unlimited
  std::optional<double> seconds_from_workers;  ///< the same the other way
};

/// Bytes, of headers and payloads, and the messages that they are in.
struct PortTraffic {
  double bytes = 0.0;
  double messages = 0.0;
};

/// Returns how long the hub's port is busy with this traffic: the bytes on the wire over the bandwidth of the
/// port, of a trace over its mean. Framing is added to messages of the mean length.
HubPort hub_port_of(const RunSettings& settings, const PortTraffic& to_workers,
                    const PortTraffic& from_workers);

/// The same for what went through it so far.
HubPort hub_port_of(const RunSettings& settings, const PeerMeters& hub);

/// Returns "hub_port" of the summary: what went through the hub's port so far.
///
///     {"bytes_to_workers", "bytes_from_workers", "seconds_to_workers", "seconds_from_workers",
///      "share_to_workers", "share_from_workers"}
///
/// The shares are those of the hub's time, at most 1. Seconds and shares are null if the bandwidth is
/// unlimited.
nlohmann::ordered_json hub_port_record(const RunSettings& settings, const PeerMeters& hub);

}  // namespace hearsay
