#include "runtime/record/hub_port.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/network/link.hpp"
#include "runtime/record/or_null.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> busy_seconds(const PortRate& rate, Framing framing, const PortTraffic& traffic) {
  const double bytes_per_s = rate.trace.empty() ? rate.constant.bytes_per_s : rate.trace.mean_bytes_per_s();
  if (bytes_per_s == 0.0 || !std::isfinite(bytes_per_s)) return std::nullopt;
  if (traffic.messages == 0.0) return 0.0;
  const double frame = traffic.bytes / traffic.messages;
  const auto whole = static_cast<std::uint64_t>(std::ceil(frame));
  const auto overhead = static_cast<double>(wire_bytes(framing, whole) - whole);
  return traffic.messages * (frame + overhead) / bytes_per_s;
}

}  // namespace

HubPort hub_port_of(const RunSettings& settings, const PortTraffic& to_workers,
                    const PortTraffic& from_workers) {
  const NetworkSettings& network = network_of(settings, hub_id);
  return {busy_seconds(sending_rate(network), settings.framing, to_workers),
          busy_seconds(receiving_rate(network), settings.framing, from_workers)};
}

HubPort hub_port_of(const RunSettings& settings, const PeerMeters& hub) {
  // Each has one answer, apart from a roster in every round for a standby.
  const std::uint64_t rosters = settings.failure.hub_standby ? hub.counters.gossip_rounds : 0;
  return hub_port_of(
      settings, {static_cast<double>(hub.bytes_sent), static_cast<double>(hub.messages_sent)},
      {static_cast<double>(hub.bytes_received), static_cast<double>(hub.messages_sent - rosters)});
}

Json hub_port_record(const RunSettings& settings, const PeerMeters& hub) {
  const HubPort port = hub_port_of(settings, hub);
  const double whole = seconds(hub.now);
  const auto share = [&](const std::optional<double>& busy) {
    return busy && whole > 0.0 ? Json(std::min(1.0, *busy / whole)) : Json(nullptr);
  };
  return {{"bytes_to_workers", hub.bytes_sent},
          {"bytes_from_workers", hub.bytes_received},
          {"seconds_to_workers", or_null(port.seconds_to_workers)},
          {"seconds_from_workers", or_null(port.seconds_from_workers)},
          {"share_to_workers", share(port.seconds_to_workers)},
          {"share_from_workers", share(port.seconds_from_workers)}};
}

}  // namespace hearsay
