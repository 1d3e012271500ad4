#include "runtime/wire/long_message.hpp"

#include <doctest/doctest.h>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::long_message_test {

using to_neighbor::LongMessage;
using to_neighbor::PiecesHeld;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> numbers) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  return bytes;
}

}  // namespace

TEST_CASE("long message: its pieces cover it, and the last one is what remains") {
  const LongMessage message{.bytes = 21, .following_bytes = 21, .piece_bytes = 8};
  CHECK(message.pieces() == 3);
  CHECK(message.begin_of(2) == 16);
  CHECK(message.bytes_of(1) == 8);
  CHECK(message.bytes_of(2) == 5);
  const LongMessage even{.bytes = 16, .following_bytes = 16, .piece_bytes = 8};
  CHECK(even.pieces() == 2);
  CHECK(even.bytes_of(1) == 8);
  const LongMessage huge{.bytes = 4'000'000'000, .following_bytes = 0, .piece_bytes = 4 << 20};
  CHECK(huge.pieces() == 954);
  CHECK(huge.begin_of(953) + huge.bytes_of(953) == huge.bytes);
  const LongMessage beyond_32_bits{.bytes = 8'000'000'000, .following_bytes = 0, .piece_bytes = 4 << 20};
  CHECK(beyond_32_bits.pieces() == 1908);
  CHECK(beyond_32_bits.begin_of(1907) == 7'998'537'728);
  CHECK(beyond_32_bits.bytes_of(1907) == 1'462'272);
}

TEST_CASE("long message: the bytes of its announcement, by hand, and what no peer writes") {
  const LongMessage message{.bytes = 0x0102030405, .following_bytes = 7, .piece_bytes = 256};
  const std::vector<std::byte> bytes = bytes_of({5, 4, 3, 2, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0});
  CHECK(to_neighbor::encode(message) == bytes);
  CHECK(to_neighbor::decode_long_message(bytes) == message);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_FALSE(to_neighbor::decode_long_message(std::span(bytes).first(length)));
  for (const LongMessage& impossible : {LongMessage{9, 9, 0}, LongMessage{8, 8, 8}, LongMessage{9, 10, 8},
                                        LongMessage{std::uint64_t{1} << 62, 9, 8}})
    CHECK_FALSE(to_neighbor::decode_long_message(to_neighbor::encode(impossible)));
}

TEST_CASE("long message: a piece has its number where data have a degree") {
  FrameHeader header;
  header.iteration = 4;
  put(to_neighbor::MessagePiece{3}, header);
  CHECK(header.kind == FrameKind::message_piece);
  CHECK(header.degree == 3);
  CHECK(header.iteration == 4);
  CHECK(to_neighbor::as_message_piece(header).number == 3);
}

TEST_CASE("long message: what a receiver can take has the number of pieces where data have a degree") {
  FrameHeader header;
  put(to_neighbor::TakesPieces{4, 2, 9}, header);
  CHECK(header.kind == FrameKind::takes_pieces);
  CHECK(header.iteration == 4);
  CHECK(header.slot == 2);
  CHECK(header.degree == 9);
  CHECK(to_neighbor::as_takes_pieces(header) == to_neighbor::TakesPieces{4, 2, 9});
}

TEST_CASE("long message: the pieces that a receiver has, by hand, and whatever may come in their place") {
  std::vector<bool> has(10);
  has[0] = has[3] = has[9] = true;
  const std::vector<PiecesHeld> held = {{2, 1, has}, {3, 0, {}}};
  const std::vector<std::byte> bytes =
      bytes_of({2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0, 0b1001, 2,  //
                3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0});
  CHECK(to_neighbor::encode(held) == bytes);
  CHECK(to_neighbor::decode_pieces_held(bytes) == held);
  CHECK(to_neighbor::encode(std::span<const PiecesHeld>{}).empty());
  CHECK(to_neighbor::decode_pieces_held({})->empty());
  for (std::size_t length = 1; length < bytes.size(); ++length)
    if (length != 18) CHECK_FALSE(to_neighbor::decode_pieces_held(std::span(bytes).first(length)));
  RandomStream random(1, 0, 0, Purpose::data);
  for (int k = 0; k < 2000; ++k) {
    std::vector<std::byte> any(random.below(64));
    for (std::byte& byte : any) byte = static_cast<std::byte>(random.bits());
    const auto read = to_neighbor::decode_pieces_held(any);
    if (read) CHECK(to_neighbor::encode(*read).size() == any.size());
  }
}

}  // namespace hearsay::long_message_test
