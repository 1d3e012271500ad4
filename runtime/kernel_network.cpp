#include "runtime/kernel_network.hpp"

#include <algorithm>
#include <cstdio>

#include "runtime/link.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

constexpr const char* observer_bridge = "observer";

std::string cable_of(PeerId id) { return "peer" + std::to_string(id); }
std::string observer_cable_of(PeerId id) { return "record" + std::to_string(id); }

/// Host number `host` of a network of 65,534.
std::string host_address(int network, PeerId host) {
  return "10." + std::to_string(network) + "." + std::to_string(host / 256) + "." +
         std::to_string(host % 256);
}

constexpr int run_network = 77;
constexpr int observer_network = 78;
constexpr PeerId most_peers = 65'000;
constexpr PeerId observer_host = 65'001;

/// Limits what leaves through the interface; frames count with their Ethernet headers.
void limit(const NetworkNamespace& place, const std::string& interface, Bandwidth bandwidth,
           Duration latency) {
  // What may leave at once after a pause: three frames, or what the wire takes 300 us for, which is about as precisely as the
  // kernel's timers wake tbf. More would be a faster network than was asked for, less a slower one.
  constexpr double least_burst_bytes = 3 * 1514;
  constexpr double burst_s = 300e-6;
  // Nothing is dropped: what waits is bounded by TCP's windows.
  constexpr const char* queue_bytes = "64mb";
  if (!bandwidth.unlimited()) {
    const double burst = std::max(least_burst_bytes, burst_s * bandwidth.bytes_per_s);
    const auto whole = [](double number) { return std::to_string(static_cast<std::uint64_t>(number)); };
    place.run({"tc", "qdisc", "add", "dev", interface, "root", "handle", "1:", "tbf", "rate",
               whole(8.0 * bandwidth.bytes_per_s) + "bit", "burst", whole(burst), "limit", queue_bytes});
  }
  if (latency == Duration{0}) return;
  const std::vector<std::string> below =
      bandwidth.unlimited() ? std::vector<std::string>{"root"} : std::vector<std::string>{"parent", "1:1"};
  std::vector<std::string> words = {"tc", "qdisc", "add", "dev", interface};
  words.insert(words.end(), below.begin(), below.end());
  words.insert(words.end(), {"netem", "delay", std::to_string(latency.count()) + "ns", "limit", "100000"});
  place.run(words);
}

void add_bridge(const NetworkNamespace& hub, const std::string& name) {
  hub.run({"ip", "link", "add", name, "type", "bridge"});
  hub.run({"ip", "link", "set", name, "addrgenmode", "none", "up"});
}

/// From the peer's `interface` to a port of the hub's bridge. No IPv6, whose announcements would be counted; and TCP hands over
/// single frames, as a wire carries them, not batches of them under one header.
void add_cable(const NetworkNamespace& hub, const std::string& port, const std::string& bridge,
               const NetworkNamespace& peer, const std::string& interface, const std::string& address) {
  hub.run({"ip", "link", "add", port, "type", "veth", "peer", "name", interface, "netns", peer.path()});
  hub.run({"ip", "link", "set", port, "master", bridge, "addrgenmode", "none", "up"});
  peer.run({"ip", "address", "add", address + "/16", "dev", interface});
  peer.run({"ip", "link", "set", "dev", interface, "gso_max_segs", "1", "addrgenmode", "none", "up"});
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
  bool has_latency = false, varies = false, link_has_latency = false;
  for (const LinkOverride& link : settings.link_overrides) {
    if (link.bandwidth)
      throw Misuse(
          "network.link.bandwidth", to_text(*link.bandwidth),
          "the kernel limits a peer's whole port; expected none on a single link, or the built-in shaper");
    link_has_latency |= link.latency.has_value();
  }
  for (PeerId id = 0; id < peer_count; ++id) {
    const NetworkSettings& network = network_of(settings, id);
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
  for (PeerId id = 0; id < peer_count; ++id) {
    const NetworkNamespace& peer = peers_.emplace_back();
    const NetworkSettings& network = network_of(settings, id);
    add_cable(hub_, cable_of(id), "switch", peer, "eth0", address(id));
    add_cable(hub_, observer_cable_of(id), observer_bridge, peer, "eth1",
              host_address(observer_network, id + 1));
    limit(peer, "eth0", network.bandwidth_up, holds_latency_ ? network.latency : Duration{0});
    limit(hub_, cable_of(id), network.bandwidth_down, Duration{0});
  }
}

std::string KernelNetwork::address(PeerId id) const { return host_address(run_network, id + 1); }

std::string KernelNetwork::observer_address() const { return host_address(observer_network, observer_host); }

}  // namespace hearsay
