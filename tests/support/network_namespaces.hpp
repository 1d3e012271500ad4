#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/network/network_namespace.hpp"

namespace hearsay::test {

/// Hosts on one Ethernet: network namespaces, each with an interface eth0 and an IPv4 address. The other ends
/// of their cables are in a bridge. The hosts and the network of this machine do not see each other.
///
/// The namespaces have no names, so they vanish with this object and the last process in them, even if the
/// test is killed. The destructor kills the processes that still run in them.
class NetworkNamespaces {
 public:
  /// Returns why this process cannot make namespaces (it is not root), so that a test can say it and skip.
  /// Empty for root; if anything else is missing then (iproute2, or veth, bridge or tbf in the kernel), the
  /// test aborts.
  static std::optional<std::string> why_not();

  explicit NetworkNamespaces(std::size_t host_count);
  ~NetworkNamespaces();
  NetworkNamespaces(const NetworkNamespaces&) = delete;
  NetworkNamespaces& operator=(const NetworkNamespaces&) = delete;

  std::size_t host_count() const { return hosts_.size(); }
  /// Returns the address of a host: "10.77.0.1" for host 0, and so on.
  std::string address(std::size_t host) const;

  /// Returns a function that moves the calling process to the host; for `Program` and others that prepare a
  /// process after fork.
  std::function<void()> enter(std::size_t host) const;
  /// Returns a TCP socket that listens on the address of the host.
  int listen(std::size_t host, std::uint16_t port) const;

  /// Plugs or unplugs the cable of the host at the switch (`ip link set`). Both sides keep their sockets.
  void set_link(std::size_t host, bool up) const;
  /// Opens or closes the path between two hosts, in both directions.
  void set_path(std::size_t one, std::size_t other, bool open) const;
  /// Lets the kernel limit the traffic from and to the host. `rate` is spelled as for tc: "10mbit".
  void limit_bandwidth(std::size_t host, const std::string& rate) const;

  /// Bytes that the kernel has counted on eth0 of the host since its beginning.
  struct Traffic {
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
  };
  Traffic traffic(std::size_t host) const;
  /// Returns the bytes that the host has sent through the limit; 0 without a limit.
  std::uint64_t limited_bytes(std::size_t host) const { return hosts_.at(host).limited_bytes("eth0"); }

  /// Returns the processes in the host, ascending: all, or those of one program ("sshd").
  std::vector<pid_t> processes(std::size_t host, const std::string& program = {}) const;

 private:
  NetworkNamespace switch_;  // holds the bridge
  std::vector<NetworkNamespace> hosts_;
};

/// True, and says that `what` is skipped and why, if this process cannot make namespaces.
bool skipped_without_namespaces(const std::string& what);

/// Waits until the processes have ended; they need not be children. False if one does not end within a
/// minute.
bool all_ended(const std::vector<pid_t>& processes);

}  // namespace hearsay::test
