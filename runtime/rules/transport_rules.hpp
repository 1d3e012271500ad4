#pragma once

#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// True if the topology file says where peers listen.
bool have_addresses(const std::vector<NamedPeer>& peers);

/// Returns what carries the frames of `hearsay run`: tcp or ipc. `peers` are those of the topology;
/// `is_in_kernel`: the kernel makes the network.
Transport transport_of(const RunSettings& settings, const std::vector<NamedPeer>& peers,
                       bool is_in_kernel = false);

/// Throws Misuse if network.transport does not fit to the addresses of the peers, or to the kernel's network.
void require_fitting_transport(const RunSettings& settings, const std::vector<NamedPeer>& peers,
                               bool is_in_kernel = false);

/// Throws Misuse if network.transport is "ipc": the peers of `driver` find each other by TCP.
void require_tcp(const RunSettings& settings, const char* driver);

/// Returns a warning for each key of [network] that is set and has no effect: network.congestion and
/// network.pace without connections of TCP, network.pace where no peer is on another host.
std::vector<std::string> transport_warnings(const RunSettings& settings, Transport transport,
                                            bool between_hosts);

/// "tcp" or "ipc".
std::string to_text(Transport transport);

}  // namespace hearsay
