#include "runtime/network/message_time.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/network/link.hpp"
#include "runtime/settings/link_settings.hpp"

namespace hearsay {

namespace {

/// Returns the rate with its mean in the place of a trace.
PortRate steady(const PortRate& rate) {
  if (rate.trace.empty()) return rate;
  const double mean = rate.trace.mean_bytes_per_s();
  return std::isfinite(mean) ? PortRate(Bandwidth{mean}) : PortRate();
}

PortRate steady_sending_rate(const RunSettings& settings, PeerId peer) {
  return steady(sending_rate(network_of(settings, peer)));
}
PortRate steady_receiving_rate(const RunSettings& settings, PeerId peer) {
  return steady(receiving_rate(network_of(settings, peer)));
}
EgressPort sending_port(const RunSettings& settings, PeerId peer) {
  return {steady_sending_rate(settings, peer), settings.framing};
}
IngressPort receiving_port(const RunSettings& settings, PeerId peer) {
  return {steady_receiving_rate(settings, peer), settings.framing};
}

/// A message that reaches a port.
struct Arrival {
  Instant due;
  PeerId from;
  ArrivalRate fed;
};

/// Returns the arrival of a message that is handed to the port of `from` now.
Arrival arrival(const RunSettings& settings, PeerId from, EgressPort& port, PeerId to, std::uint64_t bytes) {
  LinkSettings steady_link = link_settings(settings, from, to);
  steady_link.jitter = Duration{0};
  steady_link.message_loss = 0.0;
  Link link(0, from, to, steady_link);
  const Departure departure = port.send(Instant{}, bytes, link);
  return {
      departure.due, from, {steady_sending_rate(settings, from), steady_link.bandwidth, steady_link.latency}};
}

}  // namespace

Duration message_time(const RunSettings& settings, PeerId from, PeerId to, std::uint64_t frame_bytes) {
  EgressPort port = sending_port(settings, from);
  const Arrival message = arrival(settings, from, port, to, frame_bytes);
  return receiving_port(settings, to).release(message.due, frame_bytes, message.fed) - Instant{};
}

Duration gathering_time(const RunSettings& settings, PeerId senders, PeerId to, std::uint64_t frame_bytes) {
  std::vector<Arrival> arrivals;
  for (PeerId from = 0; from < senders; ++from) {
    EgressPort port = sending_port(settings, from);
    arrivals.push_back(arrival(settings, from, port, to, frame_bytes));
  }
  std::ranges::sort(arrivals, {},
                    [](const Arrival& message) { return std::pair(message.due, message.from); });
  IngressPort receiver = receiving_port(settings, to);
  Instant last{};
  for (const Arrival& message : arrivals) last = receiver.release(message.due, frame_bytes, message.fed);
  return last - Instant{};
}

Duration spreading_time(const RunSettings& settings, PeerId from, PeerId receivers,
                        std::uint64_t frame_bytes) {
  EgressPort port = sending_port(settings, from);
  Instant last{};
  for (PeerId to = 0; to < receivers; ++to) {
    const Arrival message = arrival(settings, from, port, to, frame_bytes);
    last = std::max(last, receiving_port(settings, to).release(message.due, frame_bytes, message.fed));
  }
  return last - Instant{};
}

Duration sending_time(const RunSettings& settings, PeerId peer, std::uint64_t frame_bytes) {
  return SendingTime(steady_sending_rate(settings, peer), settings.framing).of(Duration{0}, frame_bytes);
}

Duration receiving_time(const RunSettings& settings, PeerId peer, std::uint64_t frame_bytes) {
  return SendingTime(steady_receiving_rate(settings, peer), settings.framing).of(Duration{0}, frame_bytes);
}

RunSettings without_traces(RunSettings settings) {
  settings.network.trace = {};
  for (auto& [peer, network] : settings.peer_networks) network.trace = {};
  return settings;
}

}  // namespace hearsay
