#include "runtime/network/message_time.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "runtime/network/link.hpp"

namespace hearsay::message_time_test {

using namespace std::chrono_literals;

namespace {

constexpr Bandwidth kilobytes(double per_second) { return Bandwidth{per_second * 1e3}; }

/// Ports of 100 kB/s each way, 5 ms to everybody.
RunSettings alike() {
  RunSettings settings;
  settings.network.bandwidth_up = settings.network.bandwidth_down = kilobytes(100);
  settings.network.latency = 5ms;
  return settings;
}

}  // namespace

TEST_CASE("message time: the latency, and the slowest of the port, the link and the other port") {
  RunSettings settings = alike();
  CHECK(message_time(settings, 0, 1, 1000) == 15ms);
  CHECK(message_time(settings, 0, 1, 0) == 5ms);
  settings.peer_networks[1] = settings.network;
  settings.peer_networks[1].bandwidth_down = kilobytes(50);
  settings.peer_networks[1].latency = 7ms;
  CHECK(message_time(settings, 0, 1, 1000) == 25ms);
  CHECK(message_time(settings, 1, 0, 1000) == 17ms);  // a link has the latency of its sender
  settings.peer_networks[1].bandwidth_up = kilobytes(20);
  CHECK(message_time(settings, 1, 0, 1000) == 57ms);
  settings.link_overrides = {{.from = 0, .to = 1, .latency = 1ms, .bandwidth = kilobytes(10)}};
  CHECK(message_time(settings, 0, 1, 1000) == 101ms);
  CHECK(message_time(settings, 0, 2, 1000) == 15ms);
  settings.framing = Framing::ethernet;
  CHECK(message_time(settings, 0, 2, 1000) == 15ms + 660us);  // 66 bytes more
}

TEST_CASE("message time: jitter and losses count as none, a trace as its mean, or as no limit") {
  RunSettings settings = alike();
  settings.network.jitter = 3ms;
  settings.network.message_loss = 0.5;
  CHECK(message_time(settings, 0, 1, 1000) == 15ms);
  settings.network.bandwidth_up = settings.network.bandwidth_down = {};
  settings.network.trace = BandwidthTrace({{0s, 50e3}, {1s, 150e3}});
  CHECK(message_time(settings, 0, 1, 1000) == 15ms);
  CHECK(message_time(without_traces(settings), 0, 1, 1000) == 5ms);
}

TEST_CASE("message time: of two idle ports, as the link and the ports of a run carry the message") {
  RunSettings settings = alike();
  settings.peer_networks[2] = settings.network;
  settings.peer_networks[2].bandwidth_up = kilobytes(37);
  settings.link_overrides = {{.from = 0, .to = 1, .latency = {}, .bandwidth = kilobytes(61)}};
  for (const auto& [from, to] : std::vector<std::pair<PeerId, PeerId>>{{0, 1}, {1, 2}, {2, 0}})
    for (const std::uint64_t bytes : {64u, 1449u, 100'000u}) {
      Link link(1, from, to, link_settings(settings, from, to));
      EgressPort sender(sending_rate(network_of(settings, from)), settings.framing);
      IngressPort receiver(receiving_rate(network_of(settings, to)), settings.framing);
      const Instant due = sender.send(Instant{}, bytes, link).due;
      CHECK(message_time(settings, from, to, bytes) ==
            receiver.release(due, bytes, arrival_rate(settings, from, to)) - Instant{});
    }
}

TEST_CASE("message time: messages to one port come in one after the other, those of a slow port besides") {
  RunSettings settings = alike();
  CHECK(gathering_time(settings, 8, 8, 1000) == 85ms);
  settings.peer_networks[3] = settings.network;
  settings.peer_networks[3].bandwidth_up = kilobytes(20);
  CHECK(gathering_time(settings, 8, 8, 1000) == 85ms);  // 55 ms by itself, in which the others came
  settings.peer_networks[3].bandwidth_up = kilobytes(10);
  CHECK(gathering_time(settings, 8, 8, 1000) == 105ms);
  CHECK(gathering_time(settings, 0, 8, 1000) == 0ms);
}

TEST_CASE("message time: messages from one port leave one after the other") {
  RunSettings settings = alike();
  CHECK(spreading_time(settings, 8, 8, 1000) == 85ms);
  settings.peer_networks[7] = settings.network;
  settings.peer_networks[7].bandwidth_down = kilobytes(10);
  CHECK(spreading_time(settings, 8, 8, 1000) == 75ms + 100ms);  // its first byte is there after 75 ms
  CHECK(sending_time(settings, 7, 1000) == 10ms);
  CHECK(receiving_time(settings, 7, 1000) == 100ms);
}

}  // namespace hearsay::message_time_test
