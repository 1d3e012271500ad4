#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns what carries the frames of `hearsay run`: tcp or ipc. `peers` are those of the topology;
/// `is_in_kernel`: the kernel makes the network.
Transport transport_of(const RunSettings& settings, const std::vector<NamedPeer>& peers,
                       bool is_in_kernel = false);

/// Throws Misuse if network.transport does not fit to the addresses of the peers, or to the kernel's network.
void require_fitting_transport(const RunSettings& settings, const std::vector<NamedPeer>& peers,
                               bool is_in_kernel = false);

/// Throws Misuse if network.transport is "ipc": the peers of `driver` find each other by TCP.
void require_tcp(const RunSettings& settings, const char* driver);

/// Returns a warning if network.congestion is set in a run over `transport` that has no connections of TCP;
/// else empty.
std::optional<std::string> congestion_warning(const RunSettings& settings, Transport transport);
/// The same of network.pace.
std::optional<std::string> pace_warning(const RunSettings& settings, Transport transport);

/// "tcp" or "ipc".
std::string to_text(Transport transport);

}  // namespace hearsay
