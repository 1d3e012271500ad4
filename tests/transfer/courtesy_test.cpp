#include "runtime/transfer/transfers.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/transfer/observer_port_network.hpp"

namespace hearsay::test::courtesy_test {

using namespace std::chrono_literals;

namespace {

/// All peers send a model of `bytes` bytes. Returns how many seconds it takes until all have come.
double seconds_of_models(Network& network, std::size_t peers, std::size_t bytes) {
  for (PeerId k = 0; k < peers; ++k)
    network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
  const Instant began = network.now;
  REQUIRE(network.run_until(Instant(60s), [&] { return network.at_observer.size() == peers; }));
  return seconds(network.now - began);
}

}  // namespace

TEST_CASE("transfer: an idle port is filled, and little is under way at any time") {
  Network network(8, 1.25e6, 5ms);
  const std::size_t bytes = 1'087'680;
  CHECK(seconds_of_models(network, 8, bytes) < 1.1 * 8 * bytes / 1.25e6);
  CHECK(network.most_under_way_bytes < 192 << 10);
}

TEST_CASE("transfer: a fast and long way is filled, too") {
  Network network(2, 1.25e8, 50ms);
  const std::size_t bytes = 40'000'000;
  // Each way begins with 8 KiB, which double in every round of 100 ms: 12 rounds to the 12.5 MB of the way.
  CHECK(seconds_of_models(network, 2, bytes) < 2 * (bytes / 1.25e8 + 13 * 0.1));
}

TEST_CASE("transfer: eight peers behind slow uplinks send side by side") {
  Network network(8, 1.25e7, 5ms, 1.25e5);
  const std::size_t bytes = 1'087'680;
  CHECK(seconds_of_models(network, 8, bytes) < 1.2 * bytes / 1.25e5);
}

TEST_CASE(
    "transfer: while the training waits and the port is busy, models and questions take a twentieth of it "
    "each, and arrive") {
  for (const double rate : {1e5, 1.25e6, 1.25e7}) {
    CAPTURE(rate);
    Network network(8, rate, 5ms);
    for (PeerId k = 0; k < 8; ++k)
      network.report(k, header_of(FrameKind::evaluation, 10, k), model(4 << 20, k));
    for (PeerId k = 0; k < 8; ++k) network.ask(k, header_of(FrameKind::question, 5, 0), model(4 << 20, 9));
    network.run_until(Instant(2s), [] { return false; });  // how quick a piece can be is known from before
    const std::uint64_t models_before = network.bytes_to_observer;
    const std::uint64_t questions_before = network.bytes_to_peers;
    for (int k = 0; k < 400; ++k) {  // 20 s of other bytes, and always 100 ms of them in the port
      network.fill_port(100ms);
      network.run_until(
          network.now + 50ms, [] { return false; }, true);
    }
    for (const std::uint64_t taken :
         {network.bytes_to_observer - models_before, network.bytes_to_peers - questions_before}) {
      CHECK(static_cast<double>(taken) < 0.06 * 20 * rate + (64 << 10));
      CHECK(taken > 8 << 10);
    }
    const auto all_are_here = [&] { return network.at_observer.size() == 8 && network.at_peers.size() == 8; };
    REQUIRE(network.run_until(Instant(1000s), all_are_here));
  }
}

TEST_CASE(
    "transfer: while the training waits and the port is idle, models and questions use it, a piece at a "
    "time") {
  Network network(8, 1.25e6, 5ms);
  for (PeerId k = 0; k < 8; ++k) {
    network.report(k, header_of(FrameKind::evaluation, 10, k), model(1 << 20, k));
    network.ask(k, header_of(FrameKind::question, 5, 0), model(1 << 20, 9));
  }
  const auto all_are_here = [&] { return network.at_observer.size() == 8 && network.at_peers.size() == 8; };
  REQUIRE(network.run_until(Instant(60s), all_are_here, true));
  CHECK(network.most_under_way_bytes < 64 << 10);
}

TEST_CASE("transfer: while the training waits, pieces grow on a fast port, and stay short on a slow one") {
  struct Port {
    double bytes_per_s;
    Duration latency;
    double least_share;  // of what the port could take
    std::size_t longest_piece_bytes;
  };
  for (const Port& port : {Port{1.25e5, 5ms, 0.8, 16 << 10}, Port{1.25e6, 500us, 0.7, 16 << 10},
                           Port{1.25e8, 250us, 0.6, 256 << 10}, Port{1.25e8, 5ms, 0.1, 256 << 10}})
    for (const bool to_peers : {false, true}) {
      CAPTURE(port.bytes_per_s);
      CAPTURE(to_peers);
      Network network(2, port.bytes_per_s, port.latency);
      const auto bytes = static_cast<std::size_t>(std::min(port.bytes_per_s, 2e7));
      for (PeerId k = 0; k < 2; ++k)
        to_peers ? network.ask(k, header_of(FrameKind::question, 5, 0), model(bytes, 9))
                 : network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
      const auto& arrived = to_peers ? network.at_peers : network.at_observer;
      REQUIRE(network.run_until(
          Instant(60s), [&] { return arrived.size() == 2; }, true));
      const double seconds_alone = 2 * static_cast<double>(bytes) / port.bytes_per_s;
      CHECK(seconds_alone / seconds(network.now - Instant(1s)) > port.least_share);
      CHECK(network.longest_piece_bytes <= port.longest_piece_bytes);
      CHECK(2 * network.longest_piece_bytes >= port.longest_piece_bytes);
    }
}

TEST_CASE("transfer: a peer that dies under its question holds up no question of the others") {
  for (const bool one_dies : {false, true}) {
    CAPTURE(one_dies);
    Network network(8, 1.25e6, 5ms);
    for (PeerId k = 0; k < 8; ++k) network.ask(k, header_of(FrameKind::question, 5, 0), model(1 << 20, 9));
    const auto seven_are_here = [&] { return network.at_peers.size() >= 7; };
    network.run_until(
        Instant(1500ms), [] { return false; }, true);
    if (one_dies) network.kill_peer(0);
    REQUIRE(network.run_until(Instant(30s), seven_are_here, true));
  }
}

TEST_CASE("transfer: somebody else's bytes in the port make the window small") {
  Network network(1, 1.25e6, 5ms);
  network.report(0, header_of(FrameKind::evaluation, 10, 0), model(1 << 20, 0));
  network.run_until(Instant(1300ms), [] { return false; });
  const std::uint64_t alone = network.bytes_to_observer;
  // Half a second of bytes of others stand in the port, again and again.
  for (int k = 0; k < 6; ++k) {
    network.occupy_port(500ms);
    network.run_until(network.now + 500ms, [] { return false; });
  }
  CHECK(network.bytes_to_observer - alone < 6 * (64 << 10));
}

TEST_CASE("transfer: an observer that stood still takes the rest as quickly as before") {
  Network network(4, 1.25e7, 25ms);
  const std::size_t bytes = 20'000'000;
  for (PeerId k = 0; k < 4; ++k) network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
  network.run_until(Instant(1500ms), [] { return false; });
  network.stop_observer(30s);
  REQUIRE(network.run_until(Instant(100s), [&] { return network.at_observer.size() == 4; }));
  CHECK(seconds(network.now - Instant(31500ms)) < 1.3 * 4 * bytes / 1.25e7);
  CHECK(static_cast<double>(network.bytes_to_observer) < 1.01 * 4 * bytes);
}

TEST_CASE("transfer: peers that announce models and die hold up nobody, once the run goes on without them") {
  constexpr std::size_t dead = 100;
  Network network(dead + 1, 1.25e6, 5ms);
  for (PeerId k = 0; k < dead; ++k)
    network.report(k, header_of(FrameKind::evaluation, 10, k), model(1 << 20, k));
  network.run_until(
      Instant(1100ms), [] { return false; }, true);
  for (PeerId k = 0; k < dead; ++k) network.silence_peer(k);
  network.report(dead, header_of(FrameKind::evaluation, 10, dead), model(1 << 20, dead));
  network.run_until(
      Instant(4s), [] { return false; }, true);
  for (PeerId k = 0; k < dead; ++k) network.drop_peer(k);
  REQUIRE(network.run_until(
      Instant(8s), [&] { return network.at_observer.contains(dead); }, true));
}

}  // namespace hearsay::test::courtesy_test
