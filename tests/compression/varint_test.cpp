#include "algorithms/compression/coders/varint_coder.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/compression/code_streams.hpp"
#include "tests/compression/compression.hpp"

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

}  // namespace hearsay::test::varint_test
