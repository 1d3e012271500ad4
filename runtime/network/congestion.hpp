#pragma once

#include <string>

namespace hearsay {

// network.congestion: the congestion control of TCP, by which a connection decides how fast it sends. The
// kernel has several, and every connection may have its own.

/// To other hosts bbr, which also fills ports that drop what does not fit into a short queue; where the
/// kernel does not permit it, what the system has. With network.pace cubic: bbr measures the bandwidth, and
/// does not follow shares that grow. On one host reno, which paces nothing; every kernel has it, and every
/// process may use it.
inline constexpr const char* automatic_congestion = "auto";
inline constexpr const char* congestion_between_hosts = "bbr";
inline constexpr const char* congestion_if_paced = "cubic";
inline constexpr const char* congestion_on_one_host = "reno";
/// What the system has (net.ipv4.tcp_congestion_control).
inline constexpr const char* system_congestion = "system";

/// Gives a TCP connection, or a listening socket for those that it accepts, the congestion control that
/// network.congestion = `wanted` stands for. Returns the one that it then has; an empty text if `socket` is
/// no TCP socket, or no longer.
std::string set_congestion(int socket, const std::string& wanted, bool is_paced = false);

/// Returns the congestion control that a connection to another host has on this machine. Throws Misuse if the
/// kernel does not have `wanted`, or does not let this process use it.
std::string congestion_here(const std::string& wanted, bool is_paced = false);

}  // namespace hearsay
