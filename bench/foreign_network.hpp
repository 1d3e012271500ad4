#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/network/network_namespace.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A network that hearsay has not made: one host a peer, each with a port of a bandwidth, each way, whose
/// queues are short and drop what does not fit, and a delay between any two hosts: the mean of those of their
/// wires. TCP sees the delay, unlike that of KernelNetwork on a kernel without netem.
///
/// A host is a network namespace with a TAP interface, limited by tbf. A process of its own reads the frames
/// of all interfaces, and passes each on when the delay is over and the receiver's port is free. Root only;
/// nothing is left when this process ends.
class ForeignNetwork {
 public:
  struct Wire {
    Bandwidth bandwidth;
    Duration delay;  ///< one way
    Duration queue;  ///< how long a frame waits at most in the port: "latency" of tbf
  };
  ForeignNetwork(PeerId hosts, const Wire& wire) : ForeignNetwork(std::vector<Wire>(hosts, wire)) {}
  /// Each host has a wire of its own.
  explicit ForeignNetwork(const std::vector<Wire>& wires);
  ~ForeignNetwork();
  ForeignNetwork(const ForeignNetwork&) = delete;
  ForeignNetwork& operator=(const ForeignNetwork&) = delete;

  const NetworkNamespace& host(PeerId id) const { return hosts_[id]; }
  static std::string address(PeerId id) { return "10.79.0." + std::to_string(id + 1); }
  /// Sets what TCP uses in all hosts unless a program chooses for itself. Returns false if the kernel has no
  /// such congestion control.
  bool set_congestion_control(const std::string& name) const;
  /// Returns how many frames the ports have dropped since the beginning.
  std::uint64_t dropped() const;

 private:
  std::vector<NetworkNamespace> hosts_;
  std::atomic<std::uint64_t>* dropped_on_arrival_ = nullptr;  // shared with the passer
  int passer_ = -1;                                           // process
};

}  // namespace hearsay
