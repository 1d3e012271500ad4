#pragma once

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

struct LinkSettings {
  Duration latency{0};
  Duration jitter{0};
  double message_loss = 0.0;  ///< probability that a transmission is lost; at most max_message_loss
  Bandwidth bandwidth{};      ///< of the link itself, besides the port's
  bool operator==(const LinkSettings&) const = default;
};

/// Returns the network of one peer: its own if it has one, else the common one.
const NetworkSettings& network_of(const RunSettings& settings, PeerId peer);

/// Returns when a peer is there: always, unless topology.availability says otherwise. So is the observer.
inline Availability availability_of(const RunSettings& settings, PeerId peer) {
  return peer < settings.availability.size() ? settings.availability[peer] : Availability();
}

/// True if some peer is away at times, or slowed down.
bool peers_come_and_go(const RunSettings& settings);

/// Returns the settings of a directed link: those of the network of the sender, unless the links file
/// overrides them, or the link itself does.
LinkSettings link_settings(const RunSettings& settings, PeerId from, PeerId to);

}  // namespace hearsay
