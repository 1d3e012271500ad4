#include "runtime/network/link.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::link_test {

using namespace std::chrono_literals;

constexpr Bandwidth unlimited{};
constexpr Bandwidth mbit(double rate) { return Bandwidth{rate * 125'000.0}; }
constexpr Instant at(Duration since_start) { return Instant{since_start}; }

/// Sends a frame from an unlimited port that it shares with no other frame: only the link counts.
Departure send_alone(Instant now, Link& link) {
  return EgressPort(unlimited, Framing::none).send(now, 1, link);
}

/// The peers of a ring, each with a port, and a link to either neighbor.
class Ring {
 public:
  Ring(std::size_t peers, Bandwidth up, Bandwidth down, const LinkSettings& link) : up_(up) {
    for (PeerId i = 0; i < peers; ++i) {
      const PeerId right = static_cast<PeerId>((i + 1) % peers);
      const PeerId left = static_cast<PeerId>((i + peers - 1) % peers);
      egress_.emplace_back(up, Framing::none);
      ingress_.emplace_back(down, Framing::none);
      links_.push_back({Link(1, i, right, link), Link(1, i, left, link)});
      now_.push_back(Instant{});
    }
  }

  /// Every peer sends `frame_bytes` to its right neighbor, and then, if `both`, to its left one. A peer goes
  /// on when the frames of its neighbors have come.
  void exchange(std::uint64_t frame_bytes, bool both) {
    const std::size_t n = now_.size();
    std::vector<std::vector<std::tuple<Instant, std::size_t>>> arrivals(n);
    for (std::size_t i = 0; i < n; ++i) {
      arrivals[(i + 1) % n].emplace_back(egress_[i].send(now_[i], frame_bytes, links_[i][0]).due, i);
      if (both)
        arrivals[(i + n - 1) % n].emplace_back(egress_[i].send(now_[i], frame_bytes, links_[i][1]).due, i);
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::sort(arrivals[i].begin(), arrivals[i].end());
      for (const auto& [due, from] : arrivals[i]) now_[i] = ingress_[i].release(due, frame_bytes, up_);
    }
  }

  /// Returns the time of the peers, which must be the same for all.
  Duration now() const {
    for (const Instant instant : now_) CHECK(instant == now_[0]);
    return now_[0].time_since_epoch();
  }

 private:
  Bandwidth up_;
  std::vector<EgressPort> egress_;
  std::vector<IngressPort> ingress_;
  std::vector<std::array<Link, 2>> links_;
  std::vector<Instant> now_;
};

constexpr LinkSettings five_ms{.latency = 5ms};

// The literals are worked out by hand: at 10 Mbit/s a byte takes 800 ns.

TEST_CASE("link: D-PSGD on a ring of 8, 50,000 floats, 10 Mbit/s, 5 ms: 325,102,400 ns an iteration") {
  Ring ring(8, mbit(10), mbit(10), five_ms);
  for (int iteration = 1; iteration <= 5; ++iteration) {
    ring.exchange(64 + 4 * 50'000, true);  // 2 x 200,064 x 800 + 5,000,000
    CHECK(ring.now() == iteration * 325'102'400ns);
  }
}

TEST_CASE("link: ring all-reduce on 8 peers, 50,000 floats, 10 Mbit/s, 5 ms: 350,716,800 ns an iteration") {
  Ring ring(8, mbit(10), mbit(10), five_ms);
  for (int iteration = 1; iteration <= 5; ++iteration) {
    for (int step = 0; step < 14; ++step)
      ring.exchange(64 + 4 * 50'000 / 8, false);  // 14 x (25,064 x 800 + 5,000,000)
    CHECK(ring.now() == iteration * 350'716'800ns);
  }
}

TEST_CASE(
    "link: a slow ingress behind fast neighbors takes its own time for every frame, the first included") {
  // First bytes come after 5 ms; then 2 x 200,064 bytes at 800 ns.
  Ring ring(8, mbit(100), mbit(10), five_ms);
  ring.exchange(200'064, true);
  CHECK(ring.now() == 325'102'400ns);
}

TEST_CASE("link: an ingress faster than what feeds it never releases a frame before its last byte came") {
  for (const Bandwidth down : {mbit(11), mbit(1'000), unlimited}) {
    IngressPort ingress(down, Framing::none);
    for (int k = 1; k <= 3; ++k) CHECK(ingress.release(at(k * 800us), 1'000, mbit(10)) == at(k * 800us));
  }
}

TEST_CASE("link: one frame between two equal idle ports takes its time on the wire once") {
  for (const std::uint64_t bytes : {1, 64, 1'449, 200'064, 7'654'321}) {
    EgressPort egress(mbit(10), Framing::none);
    IngressPort ingress(mbit(10), Framing::none);
    Link link(1, 0, 1, five_ms);
    const Departure departure = egress.send(at(3s), bytes, link);
    CHECK(departure.due == at(3s + bytes * 800ns + 5ms));
    CHECK(ingress.release(departure.due, bytes, mbit(10)) == departure.due);
  }
}

TEST_CASE("link: a burst leaves as a FIFO, frame k after k times its time on the wire") {
  EgressPort egress(mbit(10), Framing::none);
  IngressPort ingress(mbit(10), Framing::none);
  Link link(1, 0, 1, five_ms);
  for (int k = 1; k <= 20; ++k) {
    const Departure departure = egress.send(at(1s), 1'000, link);
    CHECK(departure.due == at(1s + k * 800us + 5ms));
    CHECK(departure.sequence == static_cast<std::uint64_t>(k - 1));
    CHECK(ingress.release(departure.due, 1'000, mbit(10)) == departure.due);
  }
}

TEST_CASE("link: frames of several senders that come at once leave the ingress one after the other") {
  IngressPort ingress(mbit(10), Framing::none);
  const Instant due = at(1s + 800us);
  for (int k = 1; k <= 5; ++k) CHECK(ingress.release(due, 1'000, mbit(10)) == at(1s + k * 800us));
}

TEST_CASE("link: a port without limits adds nothing, a link then adds its latency alone") {
  EgressPort egress(unlimited, Framing::none);
  IngressPort ingress(unlimited, Framing::none);
  Link link(1, 0, 1, LinkSettings{.latency = 7ms});
  Link none(1, 0, 2, LinkSettings{});
  for (int k = 0; k < 10; ++k) {
    const Instant now = at(k / 2 * 1us);
    CHECK(egress.send(now, 1'000'000'000, link).due == now + 7ms);
    CHECK(egress.send(now, 1'000'000'000, none).due == now);
    CHECK(ingress.release(now, 1'000'000'000, unlimited) == now);
  }
}

TEST_CASE(
    "link: bytes are conserved: no stretch of a port's traffic is faster than the port, a busy one is not "
    "slower") {
  const Bandwidth rate = mbit(8);  // 1 us per byte, so every time is exact
  RandomStream random(21, 0, 0, Purpose::data);
  EgressPort egress(rate, Framing::none);
  IngressPort ingress(rate, Framing::none);
  Link link(1, 0, 1, LinkSettings{});
  struct Frame {
    Instant handed, left;
    std::uint64_t bytes;
  };
  std::vector<Frame> frames;
  Instant now{};
  for (int k = 0; k < 300; ++k) {
    now += random.below(200) * 1us;
    const std::uint64_t bytes = 1 + random.below(200);
    frames.push_back({now, egress.send(now, bytes, link).due, bytes});
    CHECK(ingress.release(frames.back().left, bytes, rate) == frames.back().left);
  }
  for (std::size_t first = 0; first < frames.size(); ++first) {
    Duration on_wire{0};
    bool busy = true;
    for (std::size_t last = first; last < frames.size(); ++last) {
      on_wire += frames[last].bytes * 1us;
      busy = busy && (last == first || frames[last].handed <= frames[last - 1].left);
      const Instant begin = frames[first].left - frames[first].bytes * 1us;
      REQUIRE(begin >= frames[first].handed);
      REQUIRE(frames[last].left - begin >= on_wire);
      if (busy) REQUIRE(frames[last].left - begin == on_wire);
    }
  }
}

TEST_CASE(
    "link: a link's own bandwidth is a FIFO behind the port, and does not hold up the port's other links") {
  EgressPort egress(mbit(10), Framing::none);
  Link slow(1, 0, 1, LinkSettings{.latency = 5ms, .bandwidth = mbit(5)});
  Link fast(1, 0, 2, LinkSettings{.latency = 5ms, .bandwidth = mbit(20)});
  CHECK(egress.send(at(0s), 1'000, slow).due == at(1600us + 5ms));
  CHECK(egress.send(at(0s), 1'000, slow).due == at(3200us + 5ms));
  CHECK(egress.send(at(0s), 1'000, fast).due == at(2400us + 5ms));
  CHECK(egress.send(at(1s), 1'000, slow).due == at(1s + 1600us + 5ms));
}

TEST_CASE("link: jitter stays within its bounds and never reorders a link") {
  RandomStream random(22, 0, 0, Purpose::data);
  EgressPort egress(mbit(10), Framing::none);
  Link link(5, 3, 4, LinkSettings{.latency = 2ms, .jitter = 30ms});
  Instant now{}, previous = Instant::min(), latest_possible = Instant::min();
  bool held = false;
  Instant egress_end{};
  for (int k = 0; k < 5'000; ++k) {
    now += random.below(4) * 1ms;
    const std::uint64_t bytes = 1 + random.below(2'000);
    egress_end = std::max(now, egress_end) + bytes * 800ns;
    latest_possible = egress_end + 32ms;
    const Instant due = egress.send(now, bytes, link).due;
    REQUIRE(due >= egress_end + 2ms);
    REQUIRE(due <= latest_possible);
    REQUIRE(due >= previous);
    held = held || due == previous;
    previous = due;
  }
  CHECK(held);  // else the link never had to prevent overtaking
}

TEST_CASE("link: jitter is uniform on the whole nanoseconds from 0 to its bound") {
  const Link link(6, 0, 1, LinkSettings{.jitter = 3ns});
  std::array<int, 4> count{};
  for (std::uint64_t sequence = 0; sequence < 40'000; ++sequence)
    ++count.at(static_cast<std::size_t>(link.draw(sequence).jitter.count()));
  // Standard deviation sqrt(40,000 x 3/16) = 87; the draws are fixed by the seed.
  for (const int each : count) CHECK(std::abs(each - 10'000) < 4 * 87);
}

TEST_CASE("link: each loss adds exactly one retransmission time-out, and leaves the jitter as it was") {
  for (const auto& [latency, timeout] :
       {std::pair{5ms, 200ms}, {66ms, 200ms}, {67ms, 201ms}, {100ms, 300ms}}) {
    Link lossy(7, 0, 1, LinkSettings{.latency = latency, .jitter = 3ms, .message_loss = 0.4});
    Link sure(7, 0, 1, LinkSettings{.latency = latency, .jitter = 3ms});
    CHECK(lossy.retransmission_timeout() == timeout);
    std::uint32_t most = 0;
    for (int k = 0; k < 500; ++k) {
      const Instant now = at(k * 1min);  // far apart: no frame waits for one before it
      const Departure departure = send_alone(now, lossy);
      CHECK(departure.due - send_alone(now, sure).due == departure.losses * timeout);
      most = std::max(most, departure.losses);
    }
    CHECK(most >= 2);
  }
}

TEST_CASE("link: a frame behind a lost one waits for it, as in a TCP connection") {
  Link link(8, 0, 1, LinkSettings{.latency = 1ms, .message_loss = 0.5});
  std::uint64_t lost = 0;
  while (link.draw(lost).losses == 0 || link.draw(lost + 1).losses != 0) ++lost;
  for (std::uint64_t sequence = 0; sequence < lost; ++sequence) send_alone(at(0s), link);
  const Departure held_up = send_alone(at(1min), link);
  CHECK(held_up.sequence == lost);
  CHECK(send_alone(at(1min + 1ms), link).due == held_up.due);
}

TEST_CASE("link: the number of losses is geometric") {
  for (const double loss : {0.01, 0.3, 0.9}) {
    const Link link(9, 2, 3, LinkSettings{.message_loss = loss});
    constexpr int draws = 20'000;
    std::array<int, 3> count{};  // of 0, 1, 2 losses
    for (std::uint64_t sequence = 0; sequence < draws; ++sequence)
      if (const auto losses = link.draw(sequence).losses; losses < count.size()) ++count[losses];
    for (std::size_t k = 0; k < count.size(); ++k) {
      const double p = (1 - loss) * std::pow(loss, k);
      CAPTURE(loss);
      CAPTURE(k);
      CHECK(std::abs(count[k] - draws * p) < 4 * std::sqrt(draws * p * (1 - p)) + 1);
    }
  }
}

TEST_CASE(
    "link: what befalls a frame depends on seed, link and sequence, not on time or what was sent before") {
  const LinkSettings settings{.jitter = 10ms, .message_loss = 0.2};
  Link early(10, 0, 1, settings), late(10, 0, 1, settings);
  for (std::uint64_t sequence = 0; sequence < 200; ++sequence) {
    const Instant now = at(sequence * 1h);
    const Departure one = EgressPort(mbit(1), Framing::none).send(now, 17, early);
    const Departure other = EgressPort(unlimited, Framing::ethernet).send(now + 77h, 3, late);
    const Link::LinkDraw draw = Link(10, 0, 1, settings).draw(sequence);
    CHECK(one.losses == draw.losses);
    CHECK(other.losses == draw.losses);
    CHECK(one.due - now - 17 * 8us == draw.jitter + draw.losses * 200ms);
    CHECK(other.due - now - 77h == draw.jitter + draw.losses * 200ms);
  }
}

TEST_CASE("link: another seed, another direction, another neighbor or another frame draws anew") {
  const LinkSettings settings{.jitter = 1s};
  const std::array links = {Link(1, 0, 1, settings), Link(2, 0, 1, settings), Link(1, 1, 0, settings),
                            Link(1, 0, 2, settings), Link(1, 1, 2, settings)};
  std::vector<Duration> drawn;
  for (const Link& link : links)
    for (std::uint64_t sequence = 0; sequence < 100; ++sequence) drawn.push_back(link.draw(sequence).jitter);
  std::sort(drawn.begin(), drawn.end());
  CHECK(std::adjacent_find(drawn.begin(), drawn.end()) == drawn.end());
}

TEST_CASE("link: a shift of all times shifts all results and changes nothing else") {
  const LinkSettings settings{.latency = 2ms, .jitter = 5ms, .message_loss = 0.05, .bandwidth = mbit(3)};
  const auto run = [&](Duration shift) {
    RandomStream random(23, 0, 0, Purpose::data);
    EgressPort egress(mbit(7), Framing::ethernet);
    IngressPort ingress(mbit(5), Framing::ethernet);
    std::array links = {Link(1, 0, 1, settings), Link(1, 0, 2, settings)};
    std::vector<Duration> results;
    Instant now = at(shift);
    for (int k = 0; k < 500; ++k) {
      now += random.below(5'000) * 1us;
      const std::uint64_t bytes = random.below(3'000);
      const Instant due = egress.send(now, bytes, links[random.below(2)]).due;
      results.push_back(due - at(shift));
      results.push_back(ingress.release(due, bytes, mbit(3)) - at(shift));
    }
    return results;
  };
  const auto unshifted = run(0ns);
  for (const Duration shift :
       {Duration{1ns}, Duration{12'345'678'901ns}, Duration{24h * 365 * 50}, Duration{-1h}})
    CHECK(run(shift) == unshifted);
}

TEST_CASE("link: ethernet framing charges 66 bytes for every started 1,448") {
  CHECK(wire_bytes(Framing::none, 200'064) == 200'064);
  CHECK(wire_bytes(Framing::ethernet, 0) == 0);
  CHECK(wire_bytes(Framing::ethernet, 1) == 67);
  CHECK(wire_bytes(Framing::ethernet, 1'448) == 1'514);
  CHECK(wire_bytes(Framing::ethernet, 1'449) == 1'449 + 132);
  CHECK(wire_bytes(Framing::ethernet, 200'064) == 209'238);  // 139 segments
  EgressPort egress(mbit(10), Framing::ethernet);
  IngressPort ingress(mbit(10), Framing::ethernet);
  Link link(1, 0, 1, five_ms);
  CHECK(egress.send(at(0s), 200'064, link).due == at(209'238 * 800ns + 5ms));
  CHECK(ingress.release(at(0s), 200'064, unlimited) == at(209'238 * 800ns));
}

TEST_CASE("link: absurd settings end at the last instant a header can carry, and order holds") {
  const LinkSettings settings{.latency = Duration{1'000'000'000'000'000'000},
                              .jitter = Duration{1'000'000'000'000'000'000},
                              .message_loss = 0.99};
  Link link(1, 0, 1, settings);
  EgressPort egress(Bandwidth{1e-6}, Framing::ethernet);
  IngressPort ingress(Bandwidth{1e-6}, Framing::ethernet);
  Instant previous = Instant::min();
  for (int k = 0; k < 50; ++k) {
    const Instant due = egress.send(at(0s), std::uint64_t{1} << 40, link).due;
    const Instant released = ingress.release(due, std::uint64_t{1} << 40, Bandwidth{1e-6});
    CHECK(due >= previous);
    CHECK(released >= due);
    previous = due;
  }
  CHECK(previous.time_since_epoch().count() == (std::int64_t{1} << 62) - 1);
}

TEST_CASE("link: a link takes the sender's network, and its own latency and bandwidth where it has them") {
  RunSettings settings;
  settings.network.bandwidth_up = mbit(10);
  settings.network.latency = 5ms;
  settings.network.jitter = 1ms;
  settings.network.message_loss = 0.01;
  settings.peer_networks[2].bandwidth_up = mbit(1);
  settings.peer_networks[2].latency = 9ms;
  settings.link_overrides = {{0, 1, 50ms, {}}, {2, 1, {}, mbit(0.5)}, {3, 1, 0ms, mbit(100)}};

  constexpr std::uint64_t megabyte = 1'000'000;
  const auto taken = [&](PeerId from, PeerId to) {
    return arrival_rate(settings, from, to).time_until(1h, megabyte);
  };

  CHECK(link_settings(settings, 0, 1) == LinkSettings{50ms, 1ms, 0.01, {}});
  CHECK(link_settings(settings, 1, 0) == LinkSettings{5ms, 1ms, 0.01, {}});
  CHECK(link_settings(settings, 2, 1) == LinkSettings{9ms, 0ms, 0.0, mbit(0.5)});
  CHECK(link_settings(settings, 3, 1) == LinkSettings{0ms, 1ms, 0.01, mbit(100)});
  CHECK(taken(0, 1) == mbit(10).time_for(megabyte));
  CHECK(taken(2, 0) == mbit(1).time_for(megabyte));
  CHECK(taken(2, 1) == mbit(0.5).time_for(megabyte));
  CHECK(taken(3, 1) == mbit(10).time_for(megabyte));
  CHECK(link_settings(settings, 3, 2) == LinkSettings{5ms, 1ms, 0.01, {}});
  CHECK(link_settings(settings, 9, 9) == LinkSettings{5ms, 1ms, 0.01, {}});
  settings.network.bandwidth_up = unlimited;
  CHECK(taken(3, 1) == mbit(100).time_for(megabyte));
  CHECK(taken(0, 1) == unlimited.time_for(megabyte));
}

TEST_CASE("link: on a ring of 10,000 every direction of every link is found among the 20,000 of its kind") {
  constexpr PeerId peers = 10'000;
  const auto latency = [](PeerId from, PeerId to) { return Duration(std::int64_t{peers} * from + to); };
  RunSettings settings;
  for (PeerId from = 0; from < peers; ++from) {
    const PeerId left = (from + peers - 1) % peers;
    const PeerId right = (from + 1) % peers;
    for (const PeerId to : {std::min(left, right), std::max(left, right)})
      settings.link_overrides.push_back({from, to, latency(from, to), {}});
  }
  PeerId found = 0;
  for (const LinkOverride& own : settings.link_overrides)
    found += link_settings(settings, own.from, own.to).latency == latency(own.from, own.to);
  CHECK(found == 2 * peers);
  CHECK(link_settings(settings, 5, 7).latency == 0ns);
}

}  // namespace hearsay::link_test
