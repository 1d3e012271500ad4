#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "tests/session/session_pair.hpp"

namespace hearsay::paced_messages_test {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t message_bytes = 85;  // eleven pieces, the last one of five bytes
constexpr std::uint32_t all_pieces = 11;

/// Takes pieces in as long as it may, and notes them.
struct Hearer final : PieceHearer {
  bool hear_piece(const MessageKey& message, std::size_t from, std::span<const std::byte> bytes) override {
    if (taken.size() == may_take) return false;
    CHECK(message == MessageKey{1, 0, 0});
    CHECK(from == content.size());
    taken.push_back(bytes.size());
    content.insert(content.end(), bytes.begin(), bytes.end());
    return true;
  }
  std::size_t may_take = 0;
  std::vector<std::size_t> taken = {};
  std::vector<std::byte> content = {};
};

/// The network is real.
struct Pair : test::SessionPair {
  Pair() : SessionPair(true, 100) {}

  Hearer hearer = {};                    // of peer 1
  std::vector<WholeMessage> whole = {};  // at peer 1, put together
  std::vector<std::uint32_t> came = {};  // the numbers of the pieces that came at peer 1
  /// False for a frame that is lost.
  std::function<bool(const FrameHeader&)> passes = [](const FrameHeader&) { return true; };

  static PacketRef message() { return SessionPair::message(message_bytes); }
  void carry() {
    const auto hear = [this](const FrameHeader& header, std::span<const std::byte> payload) {
      if (header.kind == FrameKind::message_piece) came.push_back(header.degree);
      const FrameUse use = one.hear_source(header, payload, now);
      CHECK(use != FrameUse::garbage);
      if (use == FrameUse::data) whole.push_back(one.take_whole());
    };
    SessionPair::carry(hear, [this](PeerId, const PeerFrame& word) { return passes(word.header); });
  }
  void greet() {
    zero.begin(now);
    one.begin(now);
    carry();
  }
  void take_in_pieces() { one.hand_pieces_to(hearer); }
  void send() {
    zero.send({1, {1, 0, 0}, message(), {2, 77}}, now);
    carry();
  }
  void permit(std::size_t pieces) {
    hearer.may_take = pieces;
    one.offer_pieces();
    carry();
  }
  void wait_for_heartbeat() {
    now += 2s;
    zero.tick(now);
    one.tick(now);
    carry();
  }
  std::size_t events() {
    std::size_t count = 0;
    for (const SocketEvent& event : one.events())
      if (const auto* const data = std::get_if<DataArrived>(&event)) {
        ++count;
        CHECK(data->key == MessageKey{1, 0, 0});
        CHECK(data->packet->size() == 0);
        CHECK(data->metadata.degree == 2);
        CHECK(data->metadata.replica_digest == 77);
        CHECK(data->metadata.taken_bytes == message_bytes);
      }
    return count;
  }
};

}  // namespace

TEST_CASE("paced messages: two pieces leave at once, and the others when the receiver can take them") {
  Pair pair;
  pair.greet();
  pair.passes = [](const FrameHeader& header) { return header.kind != FrameKind::takes_pieces; };
  pair.send();
  CHECK(pair.came == std::vector<std::uint32_t>{0, 1});
  pair.passes = [](const FrameHeader&) { return true; };
  pair.wait_for_heartbeat();  // a permission that was lost is said again
  CHECK(pair.came.size() == all_pieces);
  REQUIRE(pair.whole.size() == 1);
  CHECK(std::ranges::equal(pair.whole[0].packet->bytes(), Pair::message()->bytes()));
  CHECK(pair.zero.counters().retransmitted == 0);
}

TEST_CASE("paced messages: few pieces wait for a receiver that takes them in one by one") {
  Pair pair;
  pair.take_in_pieces();
  pair.greet();
  pair.send();
  for (std::size_t taken = 0; taken < all_pieces; ++taken) {
    CAPTURE(taken);
    CHECK(pair.hearer.taken.size() == taken);
    CHECK(pair.came.size() == std::min<std::size_t>(taken + to_neighbor::most_pieces_ahead, all_pieces));
    CHECK(pair.events() == 0);
    pair.permit(taken + 1);
  }
  CHECK(std::ranges::equal(pair.hearer.content, Pair::message()->bytes()));
  CHECK(pair.events() == 1);
  CHECK(pair.whole.empty());
  pair.wait_for_heartbeat();
  CHECK(pair.came.size() == all_pieces);
  CHECK(pair.events() == 1);
}

TEST_CASE("paced messages: a lost frame, whichever, costs a piece, and none is taken in twice") {
  for (const bool may_take_at_once : {false, true})
    for (std::uint64_t lost = 0; lost <= all_pieces; ++lost) {
      CAPTURE(may_take_at_once);
      CAPTURE(lost);
      Pair pair;
      pair.take_in_pieces();
      pair.greet();
      bool is_lost = false;
      pair.passes = [&](const FrameHeader& header) {
        const bool is_it = !is_lost && carries_message(header.kind) && header.sequence == lost;
        is_lost |= is_it;
        return !is_it;
      };
      if (may_take_at_once) pair.hearer.may_take = all_pieces;
      pair.send();
      pair.permit(all_pieces);
      for (int beat = 0; beat < 3; ++beat) pair.wait_for_heartbeat();
      CHECK(is_lost);
      CHECK(std::ranges::equal(pair.hearer.content, Pair::message()->bytes()));
      CHECK(pair.events() == 1);
    }
}

TEST_CASE("paced messages: a new process of the sender goes on where the one before has ended") {
  Pair pair;
  pair.take_in_pieces();
  pair.greet();
  pair.send();
  pair.permit(3);
  CHECK(pair.hearer.taken.size() == 3);
  pair.zero = PeerSession(pair.input(0, 71));
  pair.zero.begin(pair.now);
  pair.carry();
  pair.send();
  pair.permit(all_pieces);
  pair.wait_for_heartbeat();
  CHECK(std::ranges::equal(pair.hearer.content, Pair::message()->bytes()));
  CHECK(pair.events() == 1);
}

TEST_CASE("paced messages: a new process of the receiver gets all pieces, at its own pace") {
  Pair pair;
  pair.take_in_pieces();
  pair.greet();
  pair.send();
  pair.permit(5);
  pair.one = PeerSession(pair.input(1, 81));
  pair.hearer = {};
  pair.take_in_pieces();
  pair.came.clear();
  pair.one.begin(pair.now);
  pair.carry();
  CHECK(pair.came.size() == to_neighbor::most_pieces_ahead);
  pair.permit(all_pieces);
  CHECK(std::ranges::equal(pair.hearer.content, Pair::message()->bytes()));
  CHECK(pair.events() == 1);
}

TEST_CASE(
    "paced messages: whatever a receiver permits, a short message stays whole, and no piece is made up") {
  Pair pair;
  pair.greet();
  pair.zero.send({1, {1, 0, 0}, packet_with(std::vector<std::byte>(8)), {}}, pair.now);
  pair.zero.send({1, {1, 1, 0}, Pair::message(), {}}, pair.now);
  pair.zero.outbox().clear();
  pair.one.send({0, {1, 0, 1}, packet_with(std::vector<std::byte>(1)), {}}, pair.now);
  FrameHeader word = pair.one.outbox().back().header;
  for (const std::uint32_t slot : {0u, 1u, 2u}) {
    put(to_neighbor::TakesPieces{1, slot, 0xffff'ffff}, word);
    CHECK(pair.zero.hear_destination(1, word, {}) == FrameUse::words);
  }
  std::size_t pieces = 0;
  for (const PeerFrame& sent : pair.zero.outbox()) {
    CHECK(sent.header.kind == FrameKind::message_piece);
    CHECK(sent.header.slot == 1);
    ++pieces;
  }
  CHECK(pieces == all_pieces - to_neighbor::pieces_at_once);
}

}  // namespace hearsay::paced_messages_test
