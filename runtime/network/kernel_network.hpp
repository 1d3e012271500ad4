#pragma once

#include <string>
#include <vector>

#include "runtime/network/network_namespace.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The emulated network made by the kernel instead of by the built-in shaper: every peer is a host of its own, a network
/// namespace with an Ethernet interface whose cable ends in a switch (veth, bridge). tbf limits what a peer sends
/// (bandwidth_up) at its interface, and what is sent to it (bandwidth_down) at the switch's port: real frames, real TCP, real
/// acknowledgements. A second cable, without limits, leads from every peer to the observer, whose messages are no part of the
/// run.
///
/// Latency is the kernel's (netem) where it has netem and the run has neither jitter nor message loss, which netem would
/// give to frames and not to messages; else the built-in link holds a message for so long after it came.
///
/// Root only. Nothing is left of it when the process ends, whichever way (NetworkNamespace).
class KernelNetwork {
 public:
  /// Misuse where the process is not root, a program (ip, tc) or a part of the kernel (veth, bridge, tbf) is missing, or a
  /// link has a bandwidth of its own.
  KernelNetwork(const RunSettings& settings, PeerId peer_count);

  /// The namespaces of a peer, and of the switch and the observer.
  const NetworkNamespace& peer(PeerId id) const { return peers_[id]; }
  const NetworkNamespace& hub() const { return hub_; }

  /// "10.77.0.1" of peer 0, and so on.
  std::string address(PeerId id) const;
  std::string observer_address() const;

  bool holds_latency() const { return holds_latency_; }
  /// What a user has to know of who does what: "the kernel limits the bandwidth (tbf); ..."
  const std::string& description() const { return description_; }

  // What the kernel has counted at the peer's limits since the beginning, every frame with its headers; 0 where there is none.
  std::uint64_t bytes_sent(PeerId id) const;
  std::uint64_t bytes_received(PeerId id) const;

 private:
  NetworkNamespace hub_;
  std::vector<NetworkNamespace> peers_;
  bool holds_latency_ = false;
  std::string description_ = "the kernel limits the bandwidth (veth, tbf)";
};

}  // namespace hearsay
