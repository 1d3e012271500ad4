#include "runtime/transfer/transfers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::transfers_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t run = 77;
constexpr std::size_t limit = 64 << 20;
constexpr std::uint32_t incarnation = 5;

struct Sent {
  FrameHeader header;
  std::vector<std::byte> payload;
};

FrameHeader header_of(FrameKind kind, std::uint64_t iteration, PeerId sender) {
  FrameHeader header;
  header.kind = kind;
  header.iteration = iteration;
  header.run_id = run;
  header.sender = sender;
  header.incarnation = kind == FrameKind::question ? 0 : incarnation;
  return header;
}

/// No two positions near each other, and no two seeds, have the same bytes.
std::vector<std::byte> model(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> made(bytes);
  std::uint64_t state = seed;
  for (std::byte& byte : made) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return made;
}

/// Peers and the observer, whose port has a rate in each direction, in virtual time. Frames of one connection
/// keep their order; a connection that breaks loses what is under way in it.
class Network {
 public:
  Network(std::size_t peers, double bytes_per_s, Duration latency)
      : observer_(peers, limit, {run, 0, 0}), bytes_per_s_(bytes_per_s), latency_(latency) {
    for (std::size_t k = 0; k < peers; ++k)
      peers_.push_back(
          std::make_unique<Transfers>(1, limit, Transfers::Self{run, static_cast<PeerId>(k), incarnation}));
  }

  void report(std::size_t peer, FrameHeader header, const std::vector<std::byte>& payload) {
    if (peers_[peer]->carries(0, header.kind, payload.size()))
      peers_[peer]->send(0, header, payload);
    else
      post(true, peer, header, payload);
  }
  void ask(std::size_t peer, FrameHeader header, const std::vector<std::byte>& payload) {
    observer_.send(peer, header, payload);
  }
  void break_connection(std::size_t peer) {
    std::erase_if(under_way_, [&](const auto& entry) { return entry.second.peer == peer; });
  }
  void restart_peer(std::size_t peer) {
    break_connection(peer);
    peers_[peer] = std::make_unique<Transfers>(1, limit, Transfers::Self{run, static_cast<PeerId>(peer), 6});
    observer_.forget(peer);
  }
  /// Other traffic through the port towards the observer.
  void fill_port(Duration up_to) { port_free_[1] = std::max(port_free_[1], now + up_to); }
  void occupy_port(Duration time) { port_free_[1] = std::max(port_free_[1], now) + time; }

  /// Runs until `done` or `end`. Returns whether it is done.
  bool run_until(Instant end, const std::function<bool()>& done, bool training_waits = false) {
    for (;;) {
      carry_out(training_waits);
      if (done()) return true;
      const Instant wakes = std::min(observer_.next(now), end);
      if (under_way_.empty() || under_way_.begin()->first > wakes) {
        now = wakes;
      } else {
        now = under_way_.begin()->first;
        const Frame frame = std::move(under_way_.begin()->second);
        under_way_.erase(under_way_.begin());
        deliver(frame);
      }
      if (now >= end) return false;
    }
  }

  Instant now{1s};
  std::map<std::size_t, std::vector<Sent>> at_observer, at_peers;
  std::uint64_t most_under_way_bytes = 0;
  std::uint64_t bytes_to_observer = 0;

 private:
  struct Frame {
    bool to_observer;
    std::size_t peer;
    Sent sent;
  };

  void post(bool to_observer, std::size_t peer, FrameHeader header, std::span<const std::byte> payload) {
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.payload_checksum = payload_checksum(payload);
    const double bytes = static_cast<double>(header_bytes + payload.size());
    Instant& free = port_free_[to_observer];
    // The port is at the observer: what comes has flown before, what leaves flies after it.
    const Instant at_port = to_observer ? now + latency_ : now;
    free = std::max(free, at_port) +
           std::chrono::duration_cast<Duration>(std::chrono::duration<double>(bytes / bytes_per_s_));
    under_way_.emplace(to_observer ? free : free + latency_,
                       Frame{to_observer, peer, {header, {payload.begin(), payload.end()}}});
    if (to_observer) bytes_to_observer += header_bytes + payload.size();
    std::uint64_t all = 0;
    for (const auto& [due, frame] : under_way_) all += frame.sent.payload.size();
    most_under_way_bytes = std::max(most_under_way_bytes, all);
  }

  void deliver(const Frame& frame) {
    Transfers& hears = frame.to_observer ? observer_ : *peers_[frame.peer];
    auto& arrived = frame.to_observer ? at_observer : at_peers;
    if (!Transfers::is_word(frame.sent.header.kind)) {
      arrived[frame.peer].push_back(frame.sent);
      return;
    }
    const auto whole =
        hears.hear(frame.to_observer ? frame.peer : 0, frame.sent.header, frame.sent.payload, now);
    if (whole) arrived[frame.peer].push_back({whole->header, whole->payload});
  }

  void carry_out(bool training_waits) {
    observer_.carry_out(now, training_waits, [&](std::size_t to, const FrameHeader& header, auto payload) {
      post(false, to, header, payload);
    });
    for (std::size_t k = 0; k < peers_.size(); ++k)
      peers_[k]->carry_out(now, false, [&](std::size_t, const FrameHeader& header, auto payload) {
        post(true, k, header, payload);
      });
  }

  Transfers observer_;
  std::vector<std::unique_ptr<Transfers>> peers_;
  double bytes_per_s_;
  Duration latency_;
  std::array<Instant, 2> port_free_{};  // by direction
  std::multimap<Instant, Frame> under_way_;
};

bool is_first(const std::vector<Sent>& arrived, FrameKind kind, const std::vector<std::byte>& payload) {
  return !arrived.empty() && arrived.front().header.kind == kind && arrived.front().payload == payload;
}

}  // namespace

TEST_CASE("transfer: models and questions of every length come as they were sent, over any network") {
  for (const double rate : {1e5, 1.25e6, 1e9})
    for (const Duration latency : {Duration{100us}, Duration{5ms}, Duration{200ms}})
      for (const std::size_t bytes : {65536, 65537, 300'001}) {
        CAPTURE(rate);
        CAPTURE(bytes);
        Network network(3, rate, latency);
        for (PeerId k = 0; k < 3; ++k) {
          network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
          network.ask(k, header_of(FrameKind::question, 5, 0), model(bytes, 9));
        }
        const auto all_are_here = [&] {
          return network.at_observer.size() == 3 && network.at_peers.size() == 3;
        };
        REQUIRE(network.run_until(Instant(600s), all_are_here));
        for (PeerId k = 0; k < 3; ++k) {
          CHECK(is_first(network.at_observer[k], FrameKind::evaluation, model(bytes, k)));
          CHECK(is_first(network.at_peers[k], FrameKind::question, model(bytes, 9)));
        }
      }
}

TEST_CASE("transfer: an idle port is filled, and little is under way at any time") {
  Network network(8, 1.25e6, 5ms);
  const std::size_t bytes = 1'087'680;
  for (PeerId k = 0; k < 8; ++k) network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
  const Instant began = network.now;
  REQUIRE(network.run_until(Instant(60s), [&] { return network.at_observer.size() == 8; }));
  CHECK(seconds(network.now - began) < 1.1 * 8 * bytes / 1.25e6);
  CHECK(network.most_under_way_bytes < 128 << 10);
}

TEST_CASE("transfer: a fast and long way is filled, too") {
  Network network(2, 1.25e8, 50ms);
  const std::size_t bytes = 40'000'000;
  for (PeerId k = 0; k < 2; ++k) network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
  const Instant began = network.now;
  REQUIRE(network.run_until(Instant(60s), [&] { return network.at_observer.size() == 2; }));
  // Each way begins with 8 KiB, which double in every round of 100 ms: 12 rounds to the 12.5 MB of the way.
  CHECK(seconds(network.now - began) < 2 * (bytes / 1.25e8 + 13 * 0.1));
}

TEST_CASE(
    "transfer: while the training waits and the port is busy, models take a twentieth of it, and arrive") {
  for (const double rate : {1e5, 1.25e6, 1.25e7}) {
    CAPTURE(rate);
    Network network(8, rate, 5ms);
    for (PeerId k = 0; k < 8; ++k)
      network.report(k, header_of(FrameKind::evaluation, 10, k), model(4 << 20, k));
    network.run_until(Instant(2s), [] { return false; });  // how quick a piece can be is known from before
    const std::uint64_t before = network.bytes_to_observer;
    for (int k = 0; k < 400; ++k) {  // 20 s of other bytes, and always 100 ms of them in the port
      network.fill_port(100ms);
      network.run_until(
          network.now + 50ms, [] { return false; }, true);
    }
    const double taken = static_cast<double>(network.bytes_to_observer - before);
    CHECK(taken < 0.06 * 20 * rate + (64 << 10));
    CHECK(taken > 8 << 10);
    REQUIRE(network.run_until(Instant(1000s), [&] { return network.at_observer.size() == 8; }));
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

TEST_CASE("transfer: a connection that breaks costs what was under way, and nothing is lost") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0, Purpose::data);
    Network network(3, 1.25e6, 5ms);
    const auto say_what_is_missing = [&] {
      for (PeerId k = 0; k < 3; ++k) {
        if (network.at_observer[k].empty())
          network.report(k, header_of(FrameKind::evaluation, 10, k), model(200'000, k));
        if (network.at_peers[k].empty())
          network.ask(k, header_of(FrameKind::question, 5, 0), model(200'000, 9));
      }
    };
    say_what_is_missing();
    for (int round = 0; round < 12; ++round) {
      network.run_until(network.now + Duration(random.below(500'000'000)), [] { return false; });
      network.break_connection(random.below(3));
    }
    const auto all_are_here = [&] {
      return std::ranges::none_of(network.at_observer, [](const auto& e) { return e.second.empty(); }) &&
             std::ranges::none_of(network.at_peers, [](const auto& e) { return e.second.empty(); });
    };
    for (int beat = 0; beat < 30 && !all_are_here(); ++beat) {  // as the heartbeats of the sessions do
      say_what_is_missing();
      network.run_until(network.now + 2s, all_are_here);
    }
    REQUIRE(all_are_here());
    for (PeerId k = 0; k < 3; ++k) {
      CHECK(is_first(network.at_observer[k], FrameKind::evaluation, model(200'000, k)));
      CHECK(is_first(network.at_peers[k], FrameKind::question, model(200'000, 9)));
    }
  }
}

TEST_CASE(
    "transfer: a peer that dies in the middle of its model holds up nobody, and its new process starts "
    "anew") {
  Network network(2, 1.25e6, 5ms);
  for (PeerId k = 0; k < 2; ++k)
    network.report(k, header_of(FrameKind::evaluation, 10, k), model(1 << 20, k));
  network.run_until(Instant(1300ms), [] { return false; });
  network.restart_peer(0);
  REQUIRE(network.run_until(Instant(10s), [&] { return network.at_observer.contains(1); }));
  FrameHeader again = header_of(FrameKind::evaluation, 10, 0);
  again.incarnation = 6;
  network.report(0, again, model(1 << 20, 0));
  REQUIRE(network.run_until(Instant(20s), [&] { return network.at_observer.contains(0); }));
  CHECK(is_first(network.at_observer[0], FrameKind::evaluation, model(1 << 20, 0)));
}

TEST_CASE("transfer: a result never overtakes a model, and short frames travel whole") {
  Network network(1, 1.25e6, 5ms);
  network.report(0, header_of(FrameKind::evaluation, 10, 0), model(200'000, 1));
  network.report(0, header_of(FrameKind::result, 10, 0), model(500, 2));
  REQUIRE(network.run_until(Instant(10s), [&] { return network.at_observer[0].size() == 2; }));
  CHECK(network.at_observer[0][0].header.kind == FrameKind::evaluation);
  CHECK(network.at_observer[0][1].header.kind == FrameKind::result);
  CHECK(network.at_observer[0][1].payload == model(500, 2));
  const Transfers transfers(1, limit, {run, 0, incarnation});
  CHECK_FALSE(transfers.carries(0, FrameKind::evaluation, (64 << 10) - 1));
  CHECK_FALSE(transfers.carries(0, FrameKind::result, 1 << 20));
  CHECK_FALSE(transfers.carries(0, FrameKind::answer, 1 << 20));
}

TEST_CASE("transfer: a receiver that knows no pieces gets the whole frame when it is missed") {
  Transfers sender(1, limit, {run, 0, incarnation});
  std::vector<FrameHeader> left;
  const auto sink = [&](std::size_t, const FrameHeader& header, auto) { left.push_back(header); };
  sender.send(0, header_of(FrameKind::evaluation, 10, 0), model(100'000, 1));
  sender.carry_out(Instant(1s), false, sink);
  sender.carry_out(Instant(2s), false, sink);
  REQUIRE(left.size() == 1);
  CHECK(left[0].kind == FrameKind::piece);
  sender.send(0, header_of(FrameKind::evaluation, 10, 0), model(100'000, 1));
  sender.carry_out(Instant(3s), false, sink);
  REQUIRE(left.size() == 2);
  CHECK(left[1].kind == FrameKind::evaluation);
  CHECK(left[1].payload_bytes == 100'000);
}

TEST_CASE("transfer: takes and pieces that fit nothing change nothing") {
  Transfers transfers(2, 1 << 20, {run, 0, incarnation});
  const auto nowhere = [](std::size_t, const FrameHeader&, auto) {};
  transfers.send(0, header_of(FrameKind::evaluation, 10, 0), model(100'000, 1));
  transfers.carry_out(Instant(1s), false, nowhere);
  RandomStream random(3, 0, 0, Purpose::data);
  for (int k = 0; k < 20'000; ++k) {
    FrameHeader header = header_of(random.below(2) ? FrameKind::piece : FrameKind::take, 10, 0);
    header.slot = static_cast<std::uint32_t>(random.below(2) ? 7 : random.below(300));
    header.sequence = random.below(3) ? random.below(200'000) : ~std::uint64_t{0} - random.below(3);
    header.degree = random.below(2) ? static_cast<std::uint32_t>(random.below(200'000)) : ~std::uint32_t{0};
    const auto whole = transfers.hear(random.below(2), header, model(random.below(100), k), Instant(1s));
    CHECK_FALSE(whole);
    transfers.carry_out(Instant(2s), false, nowhere);
  }
}

TEST_CASE("transfer: a frame that is longer than it may be, or announced by another, is not taken") {
  const auto answers_to = [](FrameHeader header, PeerId claims_to_be) {
    Transfers receiver(1, 1 << 20, {run, 0, 0});
    header.payload_checksum = 1;
    std::array<std::byte, header_bytes> head{};
    encode_header(header, head);
    FrameHeader piece = header_of(FrameKind::evaluation, 10, claims_to_be);
    put(Piece{{FrameKind::evaluation, 10}, 0}, piece);
    receiver.hear(0, piece, head, Instant(1s));
    std::size_t answers = 0;
    receiver.carry_out(Instant(1s), false, [&](std::size_t, const FrameHeader&, auto) { ++answers; });
    return answers;
  };
  FrameHeader sound = header_of(FrameKind::evaluation, 10, 3);
  sound.payload_bytes = 1 << 20;
  CHECK(answers_to(sound, 3) == 2);  // heard, and the first piece is asked for
  CHECK(answers_to(sound, 2) == 0);
  FrameHeader longer = sound;
  longer.payload_bytes += 1;
  CHECK(answers_to(longer, 3) == 0);
}

}  // namespace hearsay::transfers_test
