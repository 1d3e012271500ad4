#include "runtime/transfer/oldest_first.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <vector>

#include "tests/transfer/fair_ports.hpp"

namespace hearsay::test::oldest_first_test {

using namespace std::chrono_literals;

namespace {

OldestFirst::Message message(std::size_t destination, std::uint64_t iteration, std::uint64_t number = 0) {
  FrameHeader header;
  header.kind = FrameKind::data;
  header.iteration = iteration;
  header.sequence = number;
  return {destination, header, PacketRef{}, Instant{}};
}

using Unsent = std::vector<std::uint64_t>;

const Instant start{100s};

/// Returns the iterations of all messages that may leave at `now`.
std::vector<std::uint64_t> leaving(OldestFirst& order, Instant now, const Unsent& unsent) {
  std::vector<std::uint64_t> iterations;
  while (const auto next = order.next(now, unsent)) iterations.push_back(next->header.iteration);
  return iterations;
}

using Iterations = std::vector<std::uint64_t>;

/// Eight peers on equal ports; in each round one sends to another, 1, 2, 4, 1, ... places away, and takes the
/// next round once it has heard of its own and computed for 3 % of a message's time.
class OneNeighborARound {
 public:
  OneNeighborARound(bool oldest_first, double first_peer_is_late) : oldest_first_(oldest_first) {
    for (std::size_t peer = 0; peer < peers; ++peer) {
      order_.emplace_back(distances.size());
      ports_.at(peer == 0 ? first_peer_is_late : 0.0, [this, peer] { enter(peer, 1); });
    }
  }

  /// Returns how long a round takes, in times of a message.
  double round_time(std::uint64_t rounds) {
    while (finished_ < peers * rounds) {
      ports_.step();
      for (std::size_t peer = 0; peer < peers; ++peer) release(peer);
    }
    return ports_.now() / static_cast<double>(rounds);
  }

 private:
  static constexpr std::size_t peers = 8;
  static constexpr std::array<std::size_t, 3> distances = {1, 2, 4};
  static constexpr double computing = 0.03;

  void enter(std::size_t peer, std::uint64_t round) {
    round_[peer] = round;
    is_computing_[peer] = true;
    order_[peer].add(message((round - 1) % distances.size(), round));
    release(peer);
    ports_.at(ports_.now() + computing, [this, peer] {
      is_computing_[peer] = false;
      proceed(peer);
    });
  }

  void proceed(std::size_t peer) {
    if (is_computing_[peer] || !heard_[peer].contains(round_[peer])) return;
    ++finished_;
    enter(peer, round_[peer] + 1);
  }

  void release(std::size_t peer) {
    Unsent unsent;
    for (const std::size_t distance : distances)
      unsent.push_back(oldest_first_ && ports_.is_sending(peer, (peer + distance) % peers) ? left_ : 0);
    --left_;  // the bytes move
    const Instant now =
        start + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(ports_.now()));
    while (const auto next = order_[peer].next(now, unsent)) {
      const std::size_t to = (peer + distances[next->destination]) % peers;
      const std::uint64_t round = next->header.iteration;
      ports_.send(peer, to, [this, to, round] {
        heard_[to].insert(round);
        proceed(to);
      });
      unsent[next->destination] = oldest_first_ ? left_ : 0;
    }
  }

  bool oldest_first_;
  FairPorts ports_{peers};
  std::vector<OldestFirst> order_;
  std::array<std::uint64_t, peers> round_{};
  std::array<bool, peers> is_computing_{};
  std::array<std::set<std::uint64_t>, peers> heard_{};
  std::uint64_t finished_ = 0;
  std::uint64_t left_ = 1'000'000'000;  // bytes, of any connection that sends
};

}  // namespace

TEST_CASE("oldest first: one neighbor a round takes the time of one message, though a peer began late") {
  CHECK(OneNeighborARound(false, 0.0).round_time(60) < 1.1);
  CHECK(OneNeighborARound(false, 3.0).round_time(60) > 2.5);  // out of step, and it stays so
  CHECK(OneNeighborARound(true, 3.0).round_time(60) < 1.15);
  CHECK(OneNeighborARound(true, 0.0).round_time(60) < 1.1);
}

TEST_CASE("oldest first: a message waits while bytes of an earlier iteration leave, to another peer") {
  OldestFirst order(3);
  order.add(message(0, 1));
  CHECK(leaving(order, start, {0, 0, 0}) == Iterations{1});
  order.add(message(1, 2));
  CHECK(leaving(order, start + 10ms, {900, 0, 0}).empty());
  CHECK(!order.is_empty());
  CHECK(leaving(order, start + 20ms, {400, 0, 0}).empty());
  CHECK(leaving(order, start + 30ms, {0, 0, 0}) == Iterations{2});
  CHECK(order.is_empty());
}

TEST_CASE("oldest first: messages of one iteration do not wait for each other, nor for a later one") {
  OldestFirst order(3);
  for (std::size_t k = 0; k < 3; ++k) order.add(message(k, 5));
  CHECK(leaving(order, start, {900, 800, 0}) == Iterations{5, 5, 5});
  order.add(message(0, 6));
  CHECK(leaving(order, start, {100, 0, 0}) == Iterations{6});  // behind its own: TCP keeps their order
  order.add(message(1, 5));
  CHECK(leaving(order, start, {100, 0, 0}) == Iterations{5});
}

TEST_CASE(
    "oldest first: the oldest message goes first, whatever was added first, and one link keeps its order") {
  OldestFirst order(2);
  order.add(message(0, 7));
  order.add(message(1, 6));
  order.add(message(0, 5));
  CHECK(leaving(order, start, {0, 0}) == Iterations{6, 7, 5});
}

TEST_CASE("oldest first: a receiver that stands still holds others back for a second, a slow one longer") {
  OldestFirst order(2);
  order.add(message(0, 1));
  CHECK(leaving(order, start, {0, 0}) == Iterations{1});
  order.add(message(1, 2));
  for (Instant now = start; now < start + 20s; now += 100ms)
    CHECK(leaving(order, now, {30'000 - static_cast<std::uint64_t>((now - start) / 1ms), 0}).empty());
  const Instant stood = start + 20s;
  CHECK(leaving(order, stood, {7, 0}).empty());
  CHECK(leaving(order, stood + 500ms, {71, 0}).empty());  // a heartbeat beside them
  CHECK(leaving(order, stood + OldestFirst::patience - 1ms, {71, 0}).empty());
  CHECK(leaving(order, stood + OldestFirst::patience, {71, 0}) == Iterations{2});
  order.add(message(1, 3));  // long after bytes were last seen to move
  CHECK(leaving(order, stood + 1h, {71, 0}).empty());
  CHECK(leaving(order, stood + 1h + OldestFirst::patience, {71, 0}) == Iterations{3});
}

TEST_CASE(
    "oldest first: what waits for a destination is forgotten with its connection, and is named before") {
  OldestFirst order(2);
  order.add(message(0, 1));
  CHECK(leaving(order, start, {0, 0}) == Iterations{1});
  order.add(message(1, 2, 40));
  order.add(message(1, 3, 41));
  CHECK(leaving(order, start, {9, 0}).empty());
  CHECK(order.first_number(1) == 40);
  CHECK(!order.first_number(0));
  order.forget(1);
  CHECK(order.is_empty());
  CHECK(!order.first_number(1));
  CHECK(leaving(order, start + 1h, {0, 0}).empty());
}

TEST_CASE("oldest first: at the end everything may leave, oldest first") {
  OldestFirst order(2);
  order.add(message(0, 1));
  CHECK(leaving(order, start, {0, 0}) == Iterations{1});
  order.add(message(1, 3));
  order.add(message(0, 2));
  CHECK(order.next()->header.iteration == 2);
  CHECK(order.next()->header.iteration == 3);
  CHECK(!order.next());
}

}  // namespace hearsay::test::oldest_first_test
