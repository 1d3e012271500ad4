#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/foundation/little_endian.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay::agreement_bytes_test {

namespace {

/// An agreement of settings only.
Agreement settings_only() {
  const AgreedProblem problem{.dimension = 50'100, .model_digest = 0x30de1, .data_digest = 0xda7a};
  return {.settings = make_agreement({}, problem, 0x7090).settings};
}

}  // namespace

TEST_CASE(
    "handshake: no truncation of what a peer says of its own data decodes, and none of its bits is lost") {
  const Agreement mine{{{"a", "1"}}, {{"b", "2"}, {"c", ""}}};
  std::vector<std::byte> bytes = encode_agreement(mine);
  const std::size_t settings_end = encode_agreement({mine.settings}).size();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK(decode_agreement(std::span(bytes).first(length)).has_value() == (length == settings_end));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK(decode_agreement(bytes) != mine);
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  bytes.resize(settings_end + 2);  // a second list, of nothing
  bytes[settings_end] = bytes[settings_end + 1] = std::byte{0};
  CHECK_FALSE(decode_agreement(bytes));
}

TEST_CASE("handshake: no truncation and no extension of the settings decodes") {
  std::vector<std::byte> bytes = encode_agreement(settings_only());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    REQUIRE_FALSE(decode_agreement(std::span(bytes).first(length)));
  bytes.push_back(std::byte{0});
  CHECK_FALSE(decode_agreement(bytes));
}

TEST_CASE("handshake: a flipped bit of the settings never goes unnoticed") {
  const Agreement mine = settings_only();
  std::vector<std::byte> bytes = encode_agreement(mine);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    if (const auto decoded = decode_agreement(bytes))
      REQUIRE(disagreement(mine, *decoded, "peer 1", "peer 4"));
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
}

TEST_CASE("handshake: garbage decodes to nothing or to something bounded, and never throws") {
  RandomStream random(31, 0, 0, Purpose::data);
  const std::vector<std::byte> valid = encode_agreement(settings_only());
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    std::vector<std::byte> bytes(random.below(120));
    for (auto& byte : bytes) byte = static_cast<std::byte>(random.below(repeat % 2 ? 256 : 4));
    const auto decoded = decode_agreement(bytes);
    if (decoded) REQUIRE(encode_agreement(*decoded) == bytes);
  }
  for (int repeat = 0; repeat < 5'000; ++repeat) {
    std::vector<std::byte> bytes = valid;
    for (int change = 0; change < 3; ++change)
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.bits());
    const auto decoded = decode_agreement(bytes);
    if (decoded) REQUIRE(encode_agreement(*decoded) == bytes);
  }
}

TEST_CASE("handshake: counts, lengths and texts beyond the limits are refused") {
  const auto with_value = [](const std::string& value) {
    std::vector<std::byte> bytes = {std::byte{1}, std::byte{0}, std::byte{1}, std::byte{0}, std::byte{'k'}};
    bytes.resize(7 + value.size());
    store_little_endian(static_cast<std::uint16_t>(value.size()), std::span(bytes).subspan(5));
    for (std::size_t i = 0; i < value.size(); ++i) bytes[7 + i] = static_cast<std::byte>(value[i]);
    return bytes;
  };
  CHECK(decode_agreement(with_value("v")) == Agreement{{{"k", "v"}}});
  CHECK(decode_agreement(with_value("\xc3\xa9")) == Agreement{{{"k", "\xc3\xa9"}}});
  CHECK(decode_agreement(with_value(std::string(max_agreed_text, 'v'))));
  CHECK_FALSE(decode_agreement(with_value(std::string(max_agreed_text + 1, 'v'))));
  CHECK_FALSE(decode_agreement(with_value("\x1b[2J")));
  CHECK_FALSE(decode_agreement(with_value("line\n")));
  CHECK_FALSE(decode_agreement(with_value(std::string(1, '\0'))));

  std::vector<std::byte> empty_settings(2 + 4 * (max_agreed_settings + 1));
  store_little_endian(static_cast<std::uint16_t>(max_agreed_settings + 1), empty_settings);
  CHECK_FALSE(decode_agreement(empty_settings));
  store_little_endian(static_cast<std::uint16_t>(max_agreed_settings), empty_settings);
  CHECK(decode_agreement(std::span(empty_settings).first(2 + 4 * max_agreed_settings)));
}

}  // namespace hearsay::agreement_bytes_test
