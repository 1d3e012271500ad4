#include <doctest/doctest.h>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/membership/letter_bytes.hpp"

namespace hearsay::test::letter_bytes_test {

using namespace membership;

namespace {

std::vector<Letter> letters() {
  const Ballot ballot{3, 7};
  const Decision decision{{5, {{1, 100}, {4, 0xffffffff}, {9, 2}}, 4}, {~std::uint64_t{0}, 1}};
  const Standing standing{Presence::leaves, 1234567890123, {2, 3}, {{11, 5}, {12, 6}}};
  return {{4, Wish{}},
          {4, Freeze{ballot}},
          {4, Promise{ballot, standing}},
          {4, Promise{ballot, {}, Accepted{{2, 1}, decision}}},
          {4, Propose{ballot, decision}},
          {4, Accept{ballot}},
          {4, Refusal{ballot}},
          {4, Decided{decision}},
          {0xffffffff, Noted{}}};
}

}  // namespace

TEST_CASE("letter bytes: what is written is read") {
  for (const Letter& letter : letters()) {
    CAPTURE(letter.word.index());
    CHECK(decode_letter(encode(letter)) == letter);
  }
}

TEST_CASE("letter bytes: a part of a letter is none, and neither is one with more behind it") {
  for (const Letter& letter : letters()) {
    std::vector<std::byte> bytes = encode(letter);
    CAPTURE(letter.word.index());
    for (std::size_t length = 0; length < bytes.size(); ++length)
      CHECK_FALSE(decode_letter(std::span(bytes).first(length)));
    bytes.push_back(std::byte{0});
    CHECK_FALSE(decode_letter(bytes));
  }
}

TEST_CASE("letter bytes: whatever is read as a letter is written as the same bytes, flipped ones included") {
  std::uint64_t read = 0, refused = 0;
  const auto try_it = [&](const std::vector<std::byte>& bytes) {
    const std::optional<Letter> letter = decode_letter(bytes);
    ++(letter ? read : refused);
    if (letter) CHECK(encode(*letter) == bytes);
  };
  for (const Letter& letter : letters()) {
    const std::vector<std::byte> bytes = encode(letter);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::vector<std::byte> flipped = bytes;
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
      try_it(flipped);
    }
  }
  RandomStream random(1, 0, 0, Purpose::data);
  for (int k = 0; k < 20'000; ++k) {
    std::vector<std::byte> bytes(random.below(60));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(4));
    try_it(bytes);
  }
  CHECK(read > 1000);
  CHECK(refused > 1000);
}

TEST_CASE("letter bytes: a list that claims to be longer than the letter takes no memory") {
  std::vector<std::byte> bytes = encode({4, Decided{{{5, {{1, 1}}, 1}, {}}}});
  for (std::size_t k = 13; k < 17; ++k) bytes[k] = std::byte{0xff};  // how many members there are
  CHECK_FALSE(decode_letter(bytes));
}

}  // namespace hearsay::test::letter_bytes_test
