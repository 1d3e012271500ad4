#pragma once

#include <string>
#include <vector>

#include "runtime/network/network_namespace.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The emulated network, made by the kernel instead of the built-in link. Every peer is a host of its own: a
/// network namespace with an Ethernet interface (veth), whose cable ends in a switch (bridge). tbf limits
/// what a peer sends (bandwidth_up) at its interface, and what is sent to it (bandwidth_down) at the port of
/// the switch. Frames, TCP and acknowledgements are real. A second cable without limits leads from every peer
/// to the observer.
///
/// The kernel adds the latency (netem) if it has netem, all links have the latency of their sender, and the
/// run has neither jitter nor message loss; netem would apply these to Ethernet frames instead of messages.
/// Otherwise the built-in link holds every message for the latency after it came.
///
/// Only root can make it. Nothing of the network is left when the process ends, however it ends
/// (NetworkNamespace).
class KernelNetwork {
 public:
  /// Throws Misuse if the process is not root, if a program (ip, tc) or a part of the kernel (veth, bridge,
  /// tbf) is missing, or if the run has what the kernel cannot emulate: more than 128 peers, a link with a
  /// bandwidth of its own, a bandwidth trace, or a bandwidth below 8 kbit/s.
  KernelNetwork(const RunSettings& settings, PeerId peer_count);

  /// The namespace of a peer. `hub` is the namespace of the switch and of the observer.
  const NetworkNamespace& peer(PeerId id) const { return peers_[id]; }
  const NetworkNamespace& hub() const { return hub_; }

  /// Returns the address of a peer: "10.77.0.1" for peer 0, and so on.
  std::string address(PeerId id) const;
  std::string observer_address() const;

  /// True if the kernel adds the latency (netem); else the built-in link must.
  bool holds_latency() const { return holds_latency_; }
  /// Says to the user what the kernel does and what the built-in link does ("the kernel limits the bandwidth
  /// (veth, tbf); ...").
  const std::string& description() const { return description_; }

  // Return the bytes that the kernel has counted at the limits of a peer since the beginning: Ethernet frames
  // with their headers; 0 if there is no limit.
  std::uint64_t bytes_sent(PeerId id) const;
  std::uint64_t bytes_received(PeerId id) const;

 private:
  NetworkNamespace hub_;
  std::vector<NetworkNamespace> peers_;
  bool holds_latency_ = false;
  std::string description_ = "the kernel limits the bandwidth (veth, tbf)";
};

}  // namespace hearsay
