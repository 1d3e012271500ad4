#include "algorithms/compression/coders/varint_coder.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::varint_test {

namespace {

constexpr CodeRange everything{std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max()};

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

}  // namespace

TEST_CASE("varint: codes travel in the shortest zigzag form") {
  VarintCoder coder;
  const auto of = [&](std::vector<std::int32_t> codes) { return coded(coder, codes, everything); };
  CHECK(of({0, -1, 1, 63, -64}) == bytes({0, 1, 2, 126, 127}));
  CHECK(of({64, -65}) == bytes({0x80, 1, 0x81, 1}));
  CHECK(of({8191, 8192, -8192}) == bytes({0xFE, 0x7F, 0x80, 0x80, 1, 0xFF, 0x7F}));
  CHECK(of({everything.most, everything.least}) ==
        bytes({0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}));
}

TEST_CASE("varint: overlong, unfinished, too large and superfluous codes are refused") {
  VarintCoder coder;
  std::vector<std::int32_t> code(1);
  for (const auto& message :
       {bytes({0x80, 0x00}), bytes({0x80, 0x80, 0x00}), bytes({0x81}), bytes({}), bytes({1, 1}),
        bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x10}), bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x01})})
    CHECK_FALSE(coder.decode(message, everything, whole_bucket(), code));
  CHECK(coder.decode(bytes({3}), everything, whole_bucket(), code));
  CHECK(code[0] == -2);
  CHECK_FALSE(coder.decode(bytes({3}), {-1, 1}, whole_bucket(), code));
}

TEST_CASE("varint: every instruction set writes the same bytes and reads them back, and refuses the same") {
  VarintCoder coder;
  const std::size_t n = 1'003;
  for (const auto& codes : code_sequences(everything, n)) {
    // One code after the other, so that no kernel is used.
    std::vector<std::byte> expected;
    for (const std::int32_t code : codes) {
      const auto word = coded(coder, std::vector{code}, everything);
      expected.insert(expected.end(), word.begin(), word.end());
    }
    const int targets = on_every_target([&] {
      REQUIRE(coded(coder, codes, everything) == expected);
      std::vector<std::int32_t> back(n);
      REQUIRE(coder.decode(expected, everything, whole_bucket(), back));
      REQUIRE(back == codes);
    });
    CHECK(targets >= 2);
  }
}

TEST_CASE("varint: a longer form is refused wherever it stands, on every instruction set") {
  VarintCoder coder;
  on_every_target([&] {
    for (std::size_t at = 0; at < 200; ++at) {
      std::vector<std::byte> message(200, std::byte{5});
      for (std::size_t k = 40; k + 1 < message.size(); k += 3) message[k] = std::byte{0x85};
      std::size_t n = 0;
      for (const std::byte byte : message) n += byte < std::byte{0x80};
      std::vector<std::int32_t> codes(n);
      REQUIRE(coder.decode(message, everything, whole_bucket(), codes));
      message[at] = std::byte{0};
      const bool was_last = at == 0 || message[at - 1] < std::byte{0x80};
      n = 0;
      for (const std::byte byte : message) n += byte < std::byte{0x80};
      codes.resize(n);
      REQUIRE(coder.decode(message, everything, whole_bucket(), codes) == was_last);
    }
  });
}

}  // namespace hearsay::test::varint_test
