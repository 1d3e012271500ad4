#include "runtime/session/arriving_messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace hearsay::arriving_messages_test {

namespace {

constexpr std::size_t piece_bytes = 8;

/// The messages of a source: 21 bytes each, three pieces.
struct Scene {
  PacketPool packets = {};
  ArrivingMessages messages = {};
  std::vector<std::byte> bytes = content();

  static std::vector<std::byte> content() {
    std::vector<std::byte> numbers(21);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::byte>(k + 1);
    return numbers;
  }

  static FrameHeader header(FrameKind kind, std::uint64_t iteration, std::uint32_t piece = 0) {
    FrameHeader head;
    head.kind = kind;
    head.iteration = iteration;
    head.degree = piece;
    return head;
  }
  void begin(std::uint64_t iteration, std::uint64_t following = 21) {
    messages.begin(header(FrameKind::long_message, iteration), {21, following, piece_bytes}, &packets);
  }
  std::optional<WholeMessage> take(std::uint64_t iteration, std::uint32_t piece) {
    const auto part =
        std::span(bytes).subspan(piece * piece_bytes, std::min(piece_bytes, 21 - piece * piece_bytes));
    return messages.take(header(FrameKind::message_piece, iteration, piece), part);
  }
  bool knows(std::uint64_t iteration) const {
    return messages.knows(header(FrameKind::message_piece, iteration));
  }
};

}  // namespace

TEST_CASE("arriving messages: pieces in any order make the message, once") {
  std::vector<std::uint32_t> order = {0, 1, 2};
  do {
    Scene scene;
    scene.begin(4);
    CHECK_FALSE(scene.take(4, order[0]));
    CHECK_FALSE(scene.take(4, order[0]));
    CHECK_FALSE(scene.take(4, order[1]));
    const auto whole = scene.take(4, order[2]);
    REQUIRE(whole);
    CHECK(std::ranges::equal(whole->packet->bytes(), scene.bytes));
    CHECK(whole->header.iteration == 4);
    CHECK(whole->frame_bytes == header_bytes + 21);
    CHECK_FALSE(scene.take(4, order[2]));
    scene.begin(4);
    CHECK_FALSE(scene.take(4, 0));
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("arriving messages: a piece fits by its number and its length") {
  Scene scene;
  scene.begin(4);
  const auto fits = [&](std::uint32_t piece, std::size_t bytes) {
    return scene.messages.fits(Scene::header(FrameKind::message_piece, 4, piece), bytes);
  };
  CHECK(fits(0, 8));
  CHECK_FALSE(fits(0, 7));
  CHECK(fits(2, 5));
  CHECK_FALSE(fits(2, 8));
  CHECK_FALSE(fits(3, 5));
  CHECK_FALSE(fits(0xffff'ffff, 5));
}

TEST_CASE("arriving messages: what is held says which pieces are missing, and what followed is counted") {
  Scene scene;
  scene.begin(4);
  scene.take(4, 0);
  scene.take(4, 2);
  REQUIRE(scene.messages.held().size() == 1);
  CHECK(scene.messages.held()[0] == to_neighbor::PiecesHeld{4, 0, {true, false, true}});
  scene.begin(4, 8);  // the source sends what is missing
  const auto whole = scene.take(4, 1);
  REQUIRE(whole);
  CHECK(whole->frame_bytes == header_bytes + 8);
  CHECK(scene.messages.held()[0].has == std::vector<bool>(3, true));
}

TEST_CASE("arriving messages: few are incomplete at a time, and old ones are forgotten") {
  Scene scene;
  for (std::uint64_t t = 1; t <= ArrivingMessages::most_incomplete + 1; ++t) scene.begin(t);
  CHECK(scene.knows(ArrivingMessages::most_incomplete));
  CHECK_FALSE(scene.knows(ArrivingMessages::most_incomplete + 1));
  CHECK_FALSE(scene.take(ArrivingMessages::most_incomplete + 1, 0));
  scene.messages.forget_before(3);
  CHECK_FALSE(scene.knows(2));
  CHECK(scene.knows(3));
  scene.begin(ArrivingMessages::most_incomplete + 1);
  CHECK(scene.knows(ArrivingMessages::most_incomplete + 1));
  scene.messages.forget_all();
  CHECK(scene.messages.held().empty());
}

TEST_CASE("arriving messages: of those that have come, the last ones are remembered") {
  Scene scene;
  for (std::uint64_t t = 1; t <= ArrivingMessages::most_whole + 5; ++t) {
    scene.begin(t);
    for (const std::uint32_t piece : {0u, 1u, 2u}) scene.take(t, piece);
  }
  CHECK(scene.messages.held().size() == ArrivingMessages::most_whole);
  CHECK_FALSE(scene.knows(5));
  CHECK(scene.knows(6));
}

}  // namespace hearsay::arriving_messages_test
