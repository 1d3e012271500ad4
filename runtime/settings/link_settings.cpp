#include "runtime/settings/link_settings.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

const NetworkSettings& network_of(const RunSettings& settings, PeerId peer) {
  const auto own = settings.peer_networks.find(peer);
  return own == settings.peer_networks.end() ? settings.network : own->second;
}

bool peers_come_and_go(const RunSettings& settings) {
  return !std::ranges::all_of(settings.availability, &Availability::unlimited);
}

LinkSettings link_settings(const RunSettings& settings, PeerId from, PeerId to) {
  const NetworkSettings& sender = network_of(settings, from);
  LinkSettings link{sender.latency, sender.jitter, sender.message_loss, {}};
  const auto ends = [](const LinkOverride& of) { return std::pair(of.from, of.to); };
  for (const auto* const source : {&settings.pair_links, &settings.link_overrides}) {
    const auto own = std::ranges::lower_bound(*source, std::pair(from, to), {}, ends);
    if (own == source->end() || ends(*own) != std::pair(from, to)) continue;
    link.latency = own->latency.value_or(link.latency);
    link.bandwidth = own->bandwidth.value_or(link.bandwidth);
  }
  return link;
}

}  // namespace hearsay
