#include "runtime/wire/frame.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/foundation/little_endian.hpp"

namespace hearsay::wire_test {

namespace {

using HeaderBytes = std::array<std::byte, header_bytes>;
constexpr std::size_t payload_limit = 1 << 20;

std::uint64_t wide(RandomStream& random) { return std::uint64_t{random.bits()} << 32 | random.bits(); }

FrameHeader random_header(RandomStream& random) {
  FrameHeader header;
  header.kind = static_cast<FrameKind>(1 + random.below(11));
  header.flags = static_cast<std::uint8_t>(random.below(2));
  header.run_id = random.bits();
  header.sender = random.bits();
  header.incarnation = random.bits();
  header.iteration = wide(random);
  header.slot = random.bits();
  header.degree = random.bits();
  header.sequence = wide(random);
  header.due_ns = static_cast<std::int64_t>(wide(random) >> 2);
  header.replica_digest = random.bits();
  header.payload_bytes = static_cast<std::uint32_t>(random.below(payload_limit + 1));
  header.payload_checksum = random.bits();
  return header;
}

HeaderBytes encoded(const FrameHeader& header) {
  HeaderBytes bytes;
  bytes.fill(std::byte{0xee});
  encode_header(header, bytes);
  return bytes;
}

/// Returns the defect of a header that a sender has changed and then given a correct checksum.
FrameDefect defect_of_forged(HeaderBytes bytes, std::size_t payload_limit_bytes = payload_limit) {
  store_little_endian(payload_checksum(std::span(bytes).first(60)), std::span(bytes).subspan(60));
  return decode_header(bytes, payload_limit_bytes).defect;
}

void flip(std::span<std::byte> bytes, std::size_t bit) { bytes[bit / 8] ^= std::byte{1} << (bit % 8); }

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr auto digits = "0123456789abcdef";
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

TEST_CASE("wire: every header survives the round trip, whole") {
  RandomStream random(11, 0, 0, Purpose::data);
  for (int repeat = 0; repeat < 5000; ++repeat) {
    const FrameHeader header = random_header(random);
    const DecodedHeader decoded = decode_header(encoded(header), payload_limit);
    REQUIRE(decoded.defect == FrameDefect::none);
    REQUIRE(decoded.header == header);
  }
}

TEST_CASE("wire: a golden frame, laid out by hand") {
  FrameHeader header;
  header.kind = FrameKind::data;
  header.flags = flag_remaining_hold;
  header.run_id = 0x11121314;
  header.sender = 0x21222324;
  header.incarnation = 0x31323334;
  header.iteration = 0x4142434445464748;
  header.slot = 0x51525354;
  header.degree = 0x61626364;
  header.sequence = 0x7172737475767778;
  header.due_ns = 0x0102030405060708;
  header.replica_digest = 0x91929394;
  const auto payload = bytes_of("hearsay");
  header.payload_bytes = 7;
  header.payload_checksum = payload_checksum(payload);
  CHECK(hex(encoded(header)) ==
        "0700"
        "04"
        "01"
        "14131211"
        "24232221"
        "34333231"
        "4847464544434241"
        "54535251"
        "64636261"
        "7877767574737271"
        "0807060504030201"
        "94939291"
        "07000000"
        "ec59f32e"
        "32862881");
}

TEST_CASE("wire: every truncation of a header is refused, and so is anything behind it") {
  RandomStream random(12, 0, 0, Purpose::data);
  const HeaderBytes bytes = encoded(random_header(random));
  for (std::size_t length = 0; length < header_bytes; ++length)
    CHECK(decode_header(std::span(bytes).first(length), payload_limit).defect == FrameDefect::truncated);
  std::vector<std::byte> longer(bytes.begin(), bytes.end());
  longer.push_back(std::byte{0});
  CHECK(decode_header(longer, payload_limit).defect == FrameDefect::excess);
}

TEST_CASE("wire: every flipped bit of a header is noticed") {
  RandomStream random(13, 0, 0, Purpose::data);
  for (int repeat = 0; repeat < 50; ++repeat) {
    HeaderBytes bytes = encoded(random_header(random));
    for (std::size_t bit = 0; bit < 8 * header_bytes; ++bit) {
      flip(bytes, bit);
      const FrameDefect expected = bit < 16 ? FrameDefect::version : FrameDefect::header_checksum;
      REQUIRE(decode_header(bytes, payload_limit).defect == expected);
      flip(bytes, bit);
    }
  }
}

TEST_CASE("wire: every flipped bit, truncation and extension of a payload is noticed") {
  RandomStream random(14, 0, 0, Purpose::data);
  for (const std::size_t size : {1, 2, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1024, 1025}) {
    std::vector<std::byte> payload(size);
    for (auto& byte : payload) byte = static_cast<std::byte>(random.bits());
    FrameHeader header;
    header.payload_bytes = static_cast<std::uint32_t>(size);
    header.payload_checksum = payload_checksum(payload);
    REQUIRE(payload_intact(header, payload));
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      flip(payload, bit);
      REQUIRE_FALSE(payload_intact(header, payload));
      flip(payload, bit);
    }
    for (std::size_t length = 0; length < size; ++length)
      REQUIRE_FALSE(payload_intact(header, std::span(payload).first(length)));
    payload.push_back(std::byte{0});
    CHECK_FALSE(payload_intact(header, payload));
  }
}

TEST_CASE("wire: the checksum is the folded XXH3 of the published empty-input vector") {
  // XXH3_64bits of nothing, seed 0: 2d06800538d394c2.
  CHECK(payload_checksum({}) == (0x2d068005u ^ 0x38d394c2u));
}

TEST_CASE("wire: an empty payload is intact, anything in its place is not") {
  FrameHeader header;
  header.payload_checksum = payload_checksum({});
  CHECK(payload_intact(header, {}));
  CHECK_FALSE(payload_intact(header, bytes_of("x")));
}

TEST_CASE("wire: random bytes never decode, even behind the right version") {
  RandomStream random(15, 0, 0, Purpose::data);
  for (int repeat = 0; repeat < 100'000; ++repeat) {
    HeaderBytes bytes;
    for (std::size_t word = 0; word < header_bytes; word += 4)
      store_little_endian(random.bits(), std::span(bytes).subspan(word));
    if (repeat % 2) store_little_endian(wire_version, bytes);
    const std::size_t length = repeat % 3 ? header_bytes : random.below(header_bytes + 1);
    REQUIRE(decode_header(std::span(bytes).first(length), payload_limit).defect != FrameDefect::none);
  }
  CHECK(decode_header(HeaderBytes{}, payload_limit).defect == FrameDefect::version);
}

TEST_CASE("wire: another version is recognised whatever the rest of its header looks like") {
  RandomStream random(16, 0, 0, Purpose::data);
  for (std::size_t length = 2; length < 200; ++length) {
    std::vector<std::byte> bytes(length);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random.bits());
    store_little_endian(static_cast<std::uint16_t>(wire_version + 1), bytes);
    CHECK(decode_header(bytes, payload_limit).defect == FrameDefect::version);
  }
}

TEST_CASE("wire: a header with a valid checksum and a wrong field is refused for that field") {
  RandomStream random(17, 0, 0, Purpose::data);
  const HeaderBytes valid = encoded(random_header(random));
  REQUIRE(defect_of_forged(valid) == FrameDefect::none);
  for (unsigned kind = 0; kind < 256; ++kind) {
    HeaderBytes forged = valid;
    forged[2] = static_cast<std::byte>(kind);
    CHECK(defect_of_forged(forged) == (kind >= 1 && kind <= 35 ? FrameDefect::none : FrameDefect::kind));
  }
  for (unsigned flags = 0; flags < 256; ++flags) {
    HeaderBytes forged = valid;
    forged[3] = static_cast<std::byte>(flags);
    CHECK(defect_of_forged(forged) == ((flags & 14) != 0 ? FrameDefect::flags
                                       : flags > 1       ? FrameDefect::payload_length  // 4 GiB or more
                                                         : FrameDefect::none));
  }
  for (const std::uint64_t due : {std::uint64_t{1} << 62, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    HeaderBytes forged = valid;
    store_little_endian(due, std::span(forged).subspan(40));
    CHECK(defect_of_forged(forged) == FrameDefect::due);
  }
}

TEST_CASE("wire: a payload length above the limit is refused, the limit itself is not") {
  FrameHeader header;
  for (const std::size_t limit :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{0xfffffffe}}) {
    header.payload_bytes = static_cast<std::uint32_t>(limit);
    CHECK(decode_header(encoded(header), limit).defect == FrameDefect::none);
    header.payload_bytes = static_cast<std::uint32_t>(limit + 1);
    CHECK(decode_header(encoded(header), limit).defect == FrameDefect::payload_length);
  }
}

TEST_CASE("wire: of a payload of 4 GiB or more, the header has the length, in two places") {
  FrameHeader header;
  header.flags = flag_remaining_hold;
  header.payload_bytes = 0x512345678;
  const HeaderBytes bytes = encoded(header);
  CHECK(hex(std::span(bytes).subspan(3, 1)) == "51");
  CHECK(hex(std::span(bytes).subspan(52, 4)) == "78563412");
  CHECK(decode_header(bytes, header.payload_bytes).header == header);
  CHECK(decode_header(bytes, header.payload_bytes - 1).defect == FrameDefect::payload_length);
  CHECK(decode_header(bytes, 0xffff'ffff).defect == FrameDefect::payload_length);
}

TEST_CASE("wire: a payload that is 4 GiB shorter than its header says is not intact") {
  const auto payload = bytes_of("hearsay");
  FrameHeader header;
  header.payload_bytes = 7;
  header.payload_checksum = payload_checksum(payload);
  REQUIRE(payload_intact(header, payload));
  header.payload_bytes += std::uint64_t{1} << 32;
  CHECK_FALSE(payload_intact(decode_header(encoded(header), header.payload_bytes).header, payload));
}

TEST_CASE("wire: due is an instant of the run clock, or a hold from the arrival on") {
  const Instant received{Duration{1'000}};
  FrameHeader header;
  header.due_ns = 5'000;
  CHECK(due_instant(header, received) == Instant{Duration{5'000}});
  header.flags = flag_remaining_hold;
  CHECK(due_instant(header, received) == Instant{Duration{6'000}});
}

TEST_CASE("wire: every defect has a name of its own") {
  const auto last = static_cast<std::size_t>(FrameDefect::payload_checksum);
  for (std::size_t a = 0; a <= last; ++a) {
    CHECK(to_text(static_cast<FrameDefect>(a)) != "unknown");
    for (std::size_t b = 0; b < a; ++b)
      CHECK(to_text(static_cast<FrameDefect>(a)) != to_text(static_cast<FrameDefect>(b)));
  }
}

}  // namespace hearsay::wire_test
