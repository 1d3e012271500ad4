#pragma once

#include <string>
#include <vector>

#include "runtime/network/network_namespace.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The emulated network made by the kernel instead of by the built-in shaper. Every peer is a host of its
/// own: a network namespace with an Ethernet interface whose cable ends in a switch (veth, bridge). tbf
/// limits what a peer sends (bandwidth_up) at its interface, and what is sent to it (bandwidth_down) at the
/// switch's port: real frames, real TCP, real acknowledgements. A second cable, without limits, leads from
/// every peer to the observer, whose messages do not count.
///
/// The kernel holds the latency (netem) if it has netem and the run has neither jitter nor message loss,
/// which netem would apply to frames instead of messages. Otherwise the built-in link holds every message for
/// that long after it came.
///
/// Root only. Nothing of the network is left when the process ends, in whatever way (NetworkNamespace).
class KernelNetwork {
 public:
  /// Misuse if the process is not root, if a program (ip, tc) or a part of the kernel (veth, bridge, tbf) is
  /// missing, or if a link has a bandwidth of its own.
  KernelNetwork(const RunSettings& settings, PeerId peer_count);

  /// The namespace of a peer; `hub` is that of the switch and the observer.
  const NetworkNamespace& peer(PeerId id) const { return peers_[id]; }
  const NetworkNamespace& hub() const { return hub_; }

  /// "10.77.0.1" of peer 0, and so on.
  std::string address(PeerId id) const;
  std::string observer_address() const;

  bool holds_latency() const { return holds_latency_; }
  /// For the user: what the kernel does and what the built-in link does ("the kernel limits the bandwidth
  /// (tbf); ...").
  const std::string& description() const { return description_; }

  // Bytes that the kernel has counted at the peer's limits since the beginning, every frame with its headers;
  // 0 if there is no limit.
  std::uint64_t bytes_sent(PeerId id) const;
  std::uint64_t bytes_received(PeerId id) const;

 private:
  NetworkNamespace hub_;
  std::vector<NetworkNamespace> peers_;
  bool holds_latency_ = false;
  std::string description_ = "the kernel limits the bandwidth (veth, tbf)";
};

}  // namespace hearsay
