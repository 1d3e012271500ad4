#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/session/session_pair.hpp"

namespace hearsay::long_messages_session_test {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t piece_bytes = test::SessionPair::piece_bytes;

/// The network says when messages are due, and all pieces leave at once.
struct Pair : test::SessionPair {
  Pair() : SessionPair(false, 40) {}

  std::vector<WholeMessage> came = {};  // at peer 1, whole, in pieces
  std::size_t garbage = 0;              // at peer 1

  FrameUse hear(const FrameHeader& header, std::span<const std::byte> payload) {
    const FrameUse use = one.hear_source(header, payload, Instant{});
    if (use == FrameUse::data && header.kind == FrameKind::message_piece) came.push_back(one.take_whole());
    garbage += use == FrameUse::garbage;
    return use;
  }
  /// `passes(header)` is false for lost frames of peer 0 to its destination.
  template <class Passes>
  void carry(const Passes& passes) {
    SessionPair::carry([this](const FrameHeader& header, auto payload) { hear(header, payload); },
                       [&](PeerId sender, const PeerFrame& word) {
                         return sender == 1 || word.way != PeerFrame::Way::outlet || passes(word.header);
                       });
  }
  void carry() {
    carry([](const FrameHeader&) { return true; });
  }
  void greet() {
    zero.begin(Instant{});
    one.begin(Instant{});
    carry();
  }
  void send(std::uint64_t iteration, std::size_t bytes) {
    zero.send({1, {iteration, 0, 0}, message(bytes), {2, 77}}, Instant{});
  }
};

}  // namespace

TEST_CASE("long messages: one of a piece travels as it is, a longer one announced and in pieces") {
  Pair pair;
  pair.greet();
  pair.send(1, 8);
  REQUIRE(pair.zero.outbox().size() == 1);
  CHECK(pair.zero.outbox()[0].header.kind == FrameKind::data);
  pair.zero.outbox().clear();
  pair.send(2, 21);
  std::vector<FrameKind> kinds;
  std::vector<std::uint64_t> numbers;
  for (const PeerFrame& word : pair.zero.outbox()) {
    kinds.push_back(word.header.kind);
    numbers.push_back(word.header.sequence);
  }
  CHECK(kinds == std::vector{FrameKind::long_message, FrameKind::message_piece, FrameKind::message_piece,
                             FrameKind::message_piece});
  CHECK(numbers == std::vector<std::uint64_t>{1, 2, 3, 4});
}

TEST_CASE("long messages: they arrive whole, with what their header says") {
  Pair pair;
  pair.greet();
  pair.send(1, 21);
  pair.carry();
  REQUIRE(pair.came.size() == 1);
  CHECK(std::ranges::equal(pair.came[0].packet->bytes(), Pair::message(21)->bytes()));
  CHECK(pair.came[0].header.degree == 2);
  CHECK(pair.came[0].header.replica_digest == 77);
  CHECK(pair.zero.counters().retransmitted == 0);
  CHECK(pair.one.counters().gaps == 0);
}

TEST_CASE("long messages: a lost frame, whichever, costs a piece") {
  for (const std::uint64_t lost : {0u, 1u, 2u, 3u, 4u}) {
    CAPTURE(lost);
    Pair pair;
    pair.greet();
    pair.send(1, 37);  // an announcement and five pieces
    std::uint64_t pieces = 0;
    pair.carry([&](const FrameHeader& header) {
      pieces += header.kind == FrameKind::message_piece;
      return header.kind == FrameKind::hello || header.sequence != lost;
    });
    REQUIRE(pair.came.size() == 1);
    CHECK(std::ranges::equal(pair.came[0].packet->bytes(), Pair::message(37)->bytes()));
    CHECK(pieces == (lost == 0 ? 10 : 6));  // without its announcement, no piece of a message is kept
    CHECK(pair.one.counters().gaps == 1);
    CHECK(pair.zero.counters().retransmitted == 1);
  }
}

TEST_CASE("long messages: the last piece is missed at the next message, and both arrive once") {
  Pair pair;
  pair.greet();
  pair.send(1, 21);
  pair.carry([](const FrameHeader& header) { return header.sequence != 3; });
  CHECK(pair.came.empty());
  pair.send(2, 21);
  pair.carry();
  CHECK(pair.came.size() == 2);
  CHECK(pair.zero.counters().retransmitted == 1);
}

TEST_CASE("long messages: a piece that does not fit is garbage, and asked for again") {
  for (const bool is_too_long : {false, true}) {
    Pair pair;
    pair.greet();
    pair.send(1, 21);
    const std::vector<PeerFrame> words = std::exchange(pair.zero.outbox(), {});
    for (const PeerFrame& word : words) {
      FrameHeader header = word.header;
      const auto bytes = word.packet.bytes();
      std::vector<std::byte> payload(bytes.begin(), bytes.end());
      if (header.sequence == 2 && is_too_long) payload.push_back({});
      if (header.sequence == 2 && !is_too_long) header.degree = 3;
      CHECK((pair.hear(header, payload) == FrameUse::garbage) == (header.sequence == 2));
    }
    pair.carry();
    CHECK(pair.garbage == 1);
    REQUIRE(pair.came.size() == 1);
    CHECK(std::ranges::equal(pair.came[0].packet->bytes(), Pair::message(21)->bytes()));
  }
}

TEST_CASE("long messages: one that is longer than any can be, or in other pieces, takes no memory") {
  for (const to_neighbor::LongMessage announced :
       {to_neighbor::LongMessage{41, 41, piece_bytes}, to_neighbor::LongMessage{std::uint64_t{1} << 61, 9, 8},
        to_neighbor::LongMessage{40, 40, 1}}) {
    Pair pair;
    pair.greet();
    pair.send(1, 21);
    const FrameHeader header = pair.zero.outbox()[0].header;
    CHECK(pair.hear(header, to_neighbor::encode(announced)) == FrameUse::garbage);
    CHECK(pair.hear(header, {}) == FrameUse::garbage);
    CHECK(pair.one.state().next_needed == 1);
    pair.carry();
    CHECK(pair.came.size() == 1);
  }
}

TEST_CASE("long messages: a new process of the receiver gets all pieces, and one of the sender sends all") {
  Pair pair;
  pair.greet();
  pair.send(1, 21);
  pair.carry([](const FrameHeader& header) { return header.sequence != 2; });
  REQUIRE(pair.came.size() == 1);
  pair.one = PeerSession(pair.input(1, 81));
  pair.one.begin(Instant{});
  pair.carry();
  CHECK(pair.came.size() == 2);
  pair.zero = PeerSession(pair.input(0, 71));
  pair.zero.begin(Instant{});
  pair.send(1, 21);
  pair.carry();
  CHECK(pair.came.size() == 3);
  for (const WholeMessage& whole : pair.came)
    CHECK(std::ranges::equal(whole.packet->bytes(), Pair::message(21)->bytes()));
}

TEST_CASE("long messages: what their receiver needs no more is forgotten with its pieces") {
  Pair pair;
  pair.greet();
  pair.send(1, 21);
  pair.carry([](const FrameHeader& header) { return header.sequence != 3; });
  pair.one.needs_from(2);
  pair.send(2, 21);
  pair.carry();
  CHECK(pair.came.size() == 1);
  CHECK(pair.came[0].header.iteration == 2);
}

}  // namespace hearsay::long_messages_session_test
