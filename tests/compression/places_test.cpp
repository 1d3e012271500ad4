#include "algorithms/compression/quantizers/places.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/quantizers/place_packing.hpp"

namespace hearsay::places_test {

TEST_CASE("places: words of every width are read back, and any other bit is seen") {
  for (unsigned bits = 1; bits <= 24; ++bits)
    for (std::size_t count : {1u, 2u, 3u, 7u, 8u, 9u, 17u, 65u}) {
      CAPTURE(bits);
      CAPTURE(count);
      RandomStream random(bits, 0, count, Purpose::data);
      std::vector<std::byte> bytes(place_bytes(count, bits), std::byte{0});
      std::vector<std::uint32_t> words(count);
      for (std::size_t i = 0; i < count; ++i) {
        words[i] = random.bits() >> (32 - bits);
        write_place(bytes, bits, i, words[i]);
      }
      for (std::size_t i = 0; i < count; ++i) REQUIRE(read_place(bytes, bits, i) == words[i]);
      // The same by pack_places, with `zero` = 5 and with bits set above the width.
      std::vector<std::int32_t> codes(count), unpacked(count, -1);
      for (std::size_t i = 0; i < count; ++i)
        codes[i] = static_cast<std::int32_t>(words[i]) + 5 + (1 << bits);
      std::vector<std::byte> packed(bytes.size(), std::byte{0xFF});
      pack_places(codes, 5, bits, packed);
      REQUIRE(packed == bytes);
      unpack_places(bytes, bits, false, unpacked);
      for (std::size_t i = 0; i < count; ++i) REQUIRE(unpacked[i] == static_cast<std::int32_t>(words[i]));
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

}  // namespace hearsay::places_test
