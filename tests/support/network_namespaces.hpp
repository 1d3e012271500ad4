#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/network/network_namespace.hpp"

namespace hearsay::test {

/// Hosts on one Ethernet: network namespaces, each with an interface eth0 and an IPv4 address of its own, the
/// other ends of their cables in a bridge. No host sees this machine's own network, and the other way round.
///
/// The namespaces have no names: they exist as long as this object or a process in them, so that nothing is
/// left behind even where the test is killed. The destructor kills what still runs in them.
class NetworkNamespaces {
 public:
  /// Why this process cannot have them: it is not root. A test then says so and skips. Where it is root, it
  /// can: whatever is missing (iproute2, the kernel's veth, bridge or tbf) aborts the test instead of
  /// skipping it.
  static std::optional<std::string> why_not();

  explicit NetworkNamespaces(std::size_t host_count);
  ~NetworkNamespaces();
  NetworkNamespaces(const NetworkNamespaces&) = delete;
  NetworkNamespaces& operator=(const NetworkNamespaces&) = delete;

  std::size_t host_count() const { return hosts_.size(); }
  /// "10.77.0.1" of host 0, and so on.
  std::string address(std::size_t host) const;

  /// For `Program` and other things that are prepared after fork: makes the calling process one of the
  /// host's.
  std::function<void()> enter(std::size_t host) const;
  /// A TCP socket that listens on the host's address.
  int listen(std::size_t host, std::uint16_t port) const;

  /// Plugs the host's cable in or pulls it, as `ip link set` does at the switch: both sides keep their
  /// sockets.
  void set_link(std::size_t host, bool up) const;
  /// Between two hosts only: nothing comes through, or does again.
  void set_path(std::size_t one, std::size_t other, bool open) const;
  /// The kernel limits what the host sends, and what is sent to it, to so much: `rate` is tc's, "10mbit".
  void limit_bandwidth(std::size_t host, const std::string& rate) const;

  /// What the kernel has counted on the host's eth0 since the beginning.
  struct Traffic {
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;
  };
  Traffic traffic(std::size_t host) const;
  /// Bytes that the kernel has sent out of the host through the limit; 0 where there is none.
  std::uint64_t limited_bytes(std::size_t host) const { return hosts_.at(host).limited_bytes("eth0"); }

  /// The processes in the host, ascending, by their program's name ("sshd") or all.
  std::vector<pid_t> processes(std::size_t host, const std::string& program = {}) const;

 private:
  NetworkNamespace switch_;  // where the bridge is
  std::vector<NetworkNamespace> hosts_;
};

/// Where `NetworkNamespaces::why_not()`: says that `what` is skipped, and why.
bool skipped_without_namespaces(const std::string& what);

/// Waits until these processes, anybody's, have ended; false after a minute.
bool all_ended(const std::vector<pid_t>& processes);

}  // namespace hearsay::test
