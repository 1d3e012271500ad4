#include "algorithms/compression/quantizers/places.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/quantizers/place_packing.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::places_test {

namespace {

struct Written {
  std::vector<std::uint32_t> words;
  std::vector<std::byte> bytes;
};

/// Returns random words and their places.
Written written(unsigned bits, std::size_t count) {
  RandomStream random(bits, 0, count, Purpose::data);
  Written result{std::vector<std::uint32_t>(count),
                 std::vector<std::byte>(place_bytes(count, bits), std::byte{0})};
  for (std::size_t i = 0; i < count; ++i) {
    result.words[i] = random.bits() >> (32 - bits);
    write_place(result.bytes, bits, i, result.words[i]);
  }
  return result;
}

}  // namespace

TEST_CASE("places: words of every width are read back, and any other bit is seen") {
  for (unsigned bits = 1; bits <= 24; ++bits)
    for (std::size_t count : {1u, 2u, 3u, 7u, 8u, 9u, 17u, 65u}) {
      CAPTURE(bits);
      CAPTURE(count);
      auto [words, bytes] = written(bits, count);
      for (std::size_t i = 0; i < count; ++i) REQUIRE(read_place(bytes, bits, i) == words[i]);
      REQUIRE(unused_places_are_zero(bytes, bits, count));
      for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        bool seen = !unused_places_are_zero(bytes, bits, count);
        for (std::size_t i = 0; i < count; ++i) seen = seen || read_place(bytes, bits, i) != words[i];
        REQUIRE(seen);
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      }
    }
}

TEST_CASE("places: packed at once, they are those that are written one by one, on every instruction set") {
  on_every_target([] {
    for (unsigned bits = 1; bits <= 24; ++bits)
      for (std::size_t count : {1u, 2u, 3u, 7u, 8u, 9u, 17u, 63u, 64u, 65u, 129u, 512u, 513u, 1100u}) {
        CAPTURE(bits);
        CAPTURE(count);
        const auto [words, bytes] = written(bits, count);
        // `zero` is 5, and bits are set above the width.
        std::vector<std::int32_t> codes(count), unpacked(count, -1);
        for (std::size_t i = 0; i < count; ++i)
          codes[i] = static_cast<std::int32_t>(words[i]) + 5 + (1 << bits);
        std::vector<std::byte> packed(bytes.size() + 1, std::byte{0xFF});
        pack_places(codes, 5, bits, std::span(packed).first(bytes.size()));
        REQUIRE(packed.back() == std::byte{0xFF});
        packed.pop_back();
        REQUIRE(packed == bytes);
        unpack_places(bytes, bits, false, unpacked);
        for (std::size_t i = 0; i < count; ++i) REQUIRE(unpacked[i] == static_cast<std::int32_t>(words[i]));
      }
  });
}

TEST_CASE("places: single bits lie in order, nine bits as a byte each and then the ninth bits") {
  std::vector<std::byte> bits(2, std::byte{0});
  for (std::size_t i : {0u, 3u, 9u}) write_place(bits, 1, i, 1);
  CHECK(bits == std::vector<std::byte>{std::byte{0b1001}, std::byte{0b10}});
  std::vector<std::byte> nine(place_bytes(3, 9), std::byte{0});
  write_place(nine, 9, 0, 0x1AB);
  write_place(nine, 9, 1, 0x0CD);
  write_place(nine, 9, 2, 0x100);
  CHECK(nine == std::vector<std::byte>{std::byte{0xAB}, std::byte{0xCD}, std::byte{0}, std::byte{0b101}});
}

}  // namespace hearsay::test::places_test
