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

LinkSettings steady_link(const RunSettings& settings, PeerId from, PeerId to) {
  LinkSettings link = link_settings(settings, from, to);
  link.jitter = Duration{0};
  link.message_loss = 0.0;
  return link;
}

/// A message that reaches a port.
struct Arrival {
  Instant due;
  PeerId from;
  ArrivalRate fed;
};

ArrivalRate steady_arrival_rate(const RunSettings& settings, PeerId from, PeerId to) {
  const LinkSettings link = link_settings(settings, from, to);
  return {steady_sending_rate(settings, from), link.bandwidth, link.latency};
}

/// Returns the arrival of a message that is handed to the port of `from` now.
Arrival arrival(const RunSettings& settings, PeerId from, EgressPort& port, PeerId to, std::uint64_t bytes) {
  Link link(0, from, to, steady_link(settings, from, to));
  return {port.send(Instant{}, bytes, link).due, from, steady_arrival_rate(settings, from, to)};
}

}  // namespace

Duration message_time(const RunSettings& settings, PeerId from, PeerId to, std::uint64_t frame_bytes) {
  EgressPort port = sending_port(settings, from);
  const Arrival message = arrival(settings, from, port, to, frame_bytes);
  return receiving_port(settings, to).release(message.due, frame_bytes, message.fed) - Instant{};
}

Duration busy_time(const RunSettings& settings, PeerId from, PeerId to, std::uint64_t frame_bytes) {
  return message_time(settings, from, to, frame_bytes) - link_settings(settings, from, to).latency;
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

Ports::Ports(const RunSettings& settings, PeerId peers) : settings_(settings) {
  for (PeerId peer = 0; peer < peers; ++peer) {
    sending_.push_back(sending_port(settings, peer));
    receiving_.push_back(receiving_port(settings, peer));
  }
}

Instant Ports::send(Instant now, PeerId from, PeerId to, std::uint64_t frame_bytes) {
  const LinkSettings settings = steady_link(settings_, from, to);
  Link unlimited(0, from, to, settings);
  Link& link =
      settings.bandwidth.unlimited() ? unlimited : narrow_.try_emplace({from, to}, unlimited).first->second;
  return sending_[from].send(now, frame_bytes, link).due;
}

Instant Ports::release(Instant due, PeerId from, PeerId to, std::uint64_t frame_bytes) {
  return receiving_[to].release(due, frame_bytes, steady_arrival_rate(settings_, from, to));
}

RunSettings without_traces(RunSettings settings) {
  settings.network.trace = {};
  for (auto& [peer, network] : settings.peer_networks) network.trace = {};
  return settings;
}

}  // namespace hearsay
