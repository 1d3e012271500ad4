#include "runtime/network/kernel_network.hpp"

#include <algorithm>
#include <cstdio>

#include "runtime/network/congestion.hpp"
#include "runtime/network/link.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr const char* observer_bridge = "observer";

std::string cable_of(PeerId id) { return "peer" + std::to_string(id); }
std::string observer_cable_of(PeerId id) { return "record" + std::to_string(id); }

/// Returns the address of host number `host` in the network 10.`network`.0.0/16.
std::string host_address(int network, PeerId host) {
  return "10." + std::to_string(network) + "." + std::to_string(host / 256) + "." +
         std::to_string(host % 256);
}

constexpr int run_network = 77;
constexpr int observer_network = 78;
constexpr PeerId most_peers = 128;  // all namespaces share the kernel's table of 1,024 (ARP) neighbors
constexpr PeerId observer_host = 65'001;
constexpr std::uint64_t frame_bytes = 1514;
constexpr double least_bytes_per_s = 1000.0;

/// Returns how many Ethernet frames TCP and the kernel pass on as one batch: as many as the wire carries in
/// 0.5 ms, at least 2. If frames were passed on one by one, eight peers at 100 Mbit/s would keep more than
/// two cores busy with that alone.
std::uint64_t batch_frames(Bandwidth bandwidth) {
  constexpr std::uint64_t least = 2, most = 40;  // TCP's own batches are limited to 64 KiB
  constexpr double batch_s = 500e-6;
  return std::clamp(static_cast<std::uint64_t>(batch_s * bandwidth.bytes_per_s / frame_bytes), least, most);
}

/// Returns how many bytes may leave at once after a pause: a batch and a half. More bytes would emulate a
/// faster network than was asked for. With one batch the wire would stand idle whenever the timer of the
/// kernel wakes tbf late.
std::uint64_t burst_bytes(Bandwidth bandwidth) { return 3 * batch_frames(bandwidth) / 2 * frame_bytes; }

/// Limits the bandwidth of what leaves through the interface, counted in Ethernet frames with their headers,
/// and adds `latency`.
void limit(const NetworkNamespace& place, const std::string& interface, Bandwidth bandwidth,
           Duration latency) {
  // So large that no frame is dropped: the windows of TCP bound what waits.
  constexpr const char* queue_bytes = "64mb";
  const bool limited = !bandwidth.unlimited();
  if (limited)
    place.run({"tc", "qdisc", "add", "dev", interface, "root", "handle", "1:", "tbf", "rate",
               std::to_string(static_cast<std::uint64_t>(8.0 * bandwidth.bytes_per_s)) + "bit", "burst",
               std::to_string(burst_bytes(bandwidth)), "limit", queue_bytes});
  if (latency == Duration{0}) return;
  std::vector<std::string> words = {"tc", "qdisc", "add", "dev", interface};
  words.insert(words.end(), limited ? std::initializer_list<std::string>{"parent", "1:1"}
                                    : std::initializer_list<std::string>{"root"});
  words.insert(words.end(), {"netem", "delay", std::to_string(latency.count()) + "ns", "limit", "100000"});
  place.run(words);
}

/// Limits what one connection may have waiting at the port to about two batches (the default of the kernel is
/// 1 MB and more). The connections of a peer then take turns, as they do in the fair queue that most hosts
/// have. Without the limit the first connection fills the queue for as long as a small packet takes, and the
/// ports of the other receivers stand idle: a tenth of an exchange of 256 KiB at 100 Mbit/s.
///
/// Returns false if this process may not change the limit.
bool let_connections_take_turns(const NetworkNamespace& peer, Bandwidth bandwidth) {
  return peer.succeeds({"sh", "-c",
                        "echo " + std::to_string(2 * batch_frames(bandwidth) * frame_bytes) +
                            " > /proc/sys/net/ipv4/tcp_limit_output_bytes"});
}

void add_bridge(const NetworkNamespace& hub, const std::string& name) {
  hub.run({"ip", "link", "add", name, "type", "bridge"});
  hub.run({"ip", "link", "set", name, "addrgenmode", "none", "up"});
}

/// Returns what the route of a cable says of the congestion control of TCP. Under "auto" it is reno for all
/// connections, whatever they ask for: nothing is ever dropped here, so reno fills the wire. bbr probes for
/// the limit again and again, and leaves up to a quarter of so short a wire unused.
std::vector<std::string> route_congestion(const std::string& wanted) {
  if (wanted == automatic_congestion) return {"congctl", "lock", "reno"};
  if (wanted == system_congestion) return {};
  return {"congctl", wanted};
}

/// Adds a cable from the `interface` of the peer to a port of the bridge in the hub, in the network
/// 10.`network`.0.0/16. IPv6 is off, since its announcements would be counted.
void add_cable(const NetworkNamespace& hub, const std::string& port, const std::string& bridge,
               const NetworkNamespace& peer, const std::string& interface, int network, PeerId host,
               const std::string& congestion) {
  hub.run({"ip", "link", "add", port, "type", "veth", "peer", "name", interface, "netns", peer.path()});
  hub.run({"ip", "link", "set", port, "master", bridge, "addrgenmode", "none", "up"});
  peer.run({"ip", "address", "add", host_address(network, host) + "/16", "dev", interface, "noprefixroute"});
  peer.run({"ip", "link", "set", interface, "addrgenmode", "none", "up"});
  std::vector<std::string> words = {"ip", "route", "add", host_address(network, 0) + "/16", "dev", interface};
  const std::vector<std::string> control = route_congestion(congestion);
  words.insert(words.end(), control.begin(), control.end());
  peer.run(words);
}

bool has_netem(const NetworkNamespace& place) {
  return place.succeeds({"tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"}) &&
         place.succeeds({"tc", "qdisc", "del", "dev", "lo", "root"});
}

}  // namespace

KernelNetwork::KernelNetwork(const RunSettings& settings, PeerId peer_count) {
  if (peer_count > most_peers)
    throw Misuse("topology.peers", std::to_string(peer_count),
                 "the kernel's network has room for " + std::to_string(most_peers));
  if (settings.shapes_evaluations())
    throw Misuse("network.evaluations", "shaped",
                 "evaluations take a second cable without limits to the observer; expected \"free\", or the "
                 "built-in shaper");
  bool has_latency = false, varies = false, link_has_latency = false;
  for (const auto* const links : {&settings.link_overrides, &settings.pair_links})
    for (const LinkOverride& link : *links) {
      if (link.bandwidth && !link.bandwidth->unlimited())
        throw Misuse(
            "network.link.bandwidth", to_text(*link.bandwidth),
            "the kernel limits a peer's whole port; expected none on a single link, or the built-in shaper");
      link_has_latency |= link.latency.has_value();
    }
  for (PeerId id = 0; id < peer_count; ++id) {
    const NetworkSettings& network = network_of(settings, id);
    if (!network.trace.empty())
      throw Misuse(
          "network.bandwidth_trace of peer " + std::to_string(id) +
          ": the kernel's limit stays what it is; expected a constant bandwidth, or the built-in shaper");
    for (const Bandwidth bandwidth : {network.bandwidth_up, network.bandwidth_down})
      if (!bandwidth.unlimited() && bandwidth.bytes_per_s < least_bytes_per_s)
        throw Misuse("network.bandwidth", to_text(bandwidth), "the kernel's limit is at least 8 kbit/s");
    has_latency |= network.latency != Duration{0};
    varies |= network.jitter != Duration{0} || network.message_loss != 0.0;
  }
  if (varies) {
    description_ += "; the built-in link holds latency, jitter and message loss";
  } else if (link_has_latency) {
    description_ += "; the built-in link holds the latency, which is not the same on all links";
  } else if (has_latency) {
    holds_latency_ = has_netem(hub_);
    description_ += holds_latency_ ? " and holds the latency (netem)"
                                   : "; it has no netem, so that the built-in link holds the latency";
  }

  add_bridge(hub_, "switch");
  add_bridge(hub_, observer_bridge);
  hub_.run({"ip", "address", "add", observer_address() + "/16", "dev", observer_bridge});
  bool take_turns = true;
  for (PeerId id = 0; id < peer_count; ++id) {
    const NetworkNamespace& peer = peers_.emplace_back();
    const NetworkSettings& network = network_of(settings, id);
    add_cable(hub_, cable_of(id), "switch", peer, "eth0", run_network, id + 1, settings.congestion);
    add_cable(hub_, observer_cable_of(id), observer_bridge, peer, "eth1", observer_network, id + 1,
              settings.congestion);
    if (!network.bandwidth_up.unlimited()) {
      peer.run({"ip", "link", "set", "dev", "eth0", "gso_max_segs",
                std::to_string(batch_frames(network.bandwidth_up))});
      take_turns &= let_connections_take_turns(peer, network.bandwidth_up);
    }
    limit(peer, "eth0", network.bandwidth_up, holds_latency_ ? network.latency : Duration{0});
    limit(hub_, cable_of(id), network.bandwidth_down, Duration{0});
  }
  if (!take_turns) description_ += "; /proc/sys is read-only, so that a peer's connections do not take turns";
}

std::string KernelNetwork::address(PeerId id) const { return host_address(run_network, id + 1); }

std::uint64_t KernelNetwork::bytes_sent(PeerId id) const { return peers_[id].limited_bytes("eth0"); }

std::uint64_t KernelNetwork::bytes_received(PeerId id) const { return hub_.limited_bytes(cable_of(id)); }

std::string KernelNetwork::observer_address() const { return host_address(observer_network, observer_host); }

}  // namespace hearsay
