// The codes of a grid, read near a vector that both ends hold.
#include <doctest/doctest.h>

#include "algorithms/compression/radix_digits.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::near_grid_test {

namespace {

constexpr std::size_t size = 512;
constexpr std::size_t head = 2 + 512 / 32;  // bytes of a message besides its codes, in buckets of 32

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> near_compressor(const std::string& spelling) {
  auto compressor = make_near_compressor<Scalar>(spelling, {});
  REQUIRE(compressor != nullptr);
  return compressor;
}

/// The message of z for receivers that hold y, and what its sender adds to its own replica.
template <class Scalar>
struct Message {
  CodecStatus status;
  std::vector<std::byte> bytes;
  std::vector<Scalar> decoded;
};

template <class Scalar>
Message<Scalar> message(Compressor<Scalar>& compressor, const std::vector<Scalar>& z,
                        const std::vector<Scalar>& y) {
  Message<Scalar> message{CodecStatus::ok, {}, std::vector<Scalar>(z.size(), Scalar(0))};
  RandomStream random(1, 0, 1, Purpose::compression);
  PacketBuffer out = buffer();
  message.status =
      compressor.encode_and_apply({.vector = z, .random = random, .near = y}, out, message.decoded);
  message.bytes.assign(out.bytes().begin(), out.bytes().end());
  return message;
}

/// z + distance * a fixed Gaussian vector
template <class Scalar>
std::vector<Scalar> away(const std::vector<Scalar>& z, double distance) {
  const auto direction = gaussian<Scalar>(z.size(), 77);
  std::vector<Scalar> y = z;
  for (std::size_t i = 0; i < z.size(); ++i) y[i] += static_cast<Scalar>(distance) * direction[i];
  return y;
}

/// True if the first bucket of a message is in full.
bool in_full(const std::vector<std::byte>& bytes) { return std::to_integer<int>(bytes[2]) <= 128; }

}  // namespace

TEST_CASE_TEMPLATE("near grid: whatever the side information, and whatever k, it decodes to what grid does",
                   Scalar, float, double) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{17}, size, 3 * size + 5}) {
    auto z = gaussian<Scalar>(n, n);
    z[n / 2] *= 100;
    const std::vector<Scalar> expected = hearsay::test::decoded<Scalar>("grid(step=0.01)", z);
    for (const char* spelling : {"grid(step=0.01)", "mod(k=4, step=0.01)", "mod(k=37, step=0.01, bucket=8)",
                                 "mod(k=65536, step=0.01, bucket=whole)"}) {
      const auto compressor = near_compressor<Scalar>(spelling);
      for (const double distance : {0.0, 0.001, 0.1, 3.0, 1e4, 1e12}) {
        CAPTURE(spelling);
        CAPTURE(distance);
        const auto y = away(z, distance);
        const auto sent = message<Scalar>(*compressor, z, y);
        REQUIRE(sent.status == CodecStatus::ok);
        CHECK(sent.bytes.size() <= compressor->traits(n).bytes);
        CHECK(sent.decoded == expected);
        std::vector<Scalar> held(n, Scalar(0));
        REQUIRE(compressor->accumulate_near(sent.bytes, y, Scalar(1), held) == CodecStatus::ok);
        CHECK(held == expected);
      }
      const auto plain = message<Scalar>(*compressor, z, {});
      std::vector<Scalar> held(n, Scalar(0));
      REQUIRE(compressor->accumulate(plain.bytes, Scalar(1), held) == CodecStatus::ok);
      CHECK(held == expected);
    }
  }
}

TEST_CASE("near grid: the nearer the side information, the shorter the message, down to its head") {
  const auto compressor = near_compressor<double>("grid(step=0.001)");
  auto z = gaussian<double>(size, 5);
  for (double& value : z) value = 0.001 * std::round(1000 * value);  // on the grid: nothing is drawn
  std::size_t before = 0;
  for (const double distance : {0.0, 0.0005, 0.002, 0.01, 0.05, 0.2, 0.5}) {
    CAPTURE(distance);
    const auto sent = message(*compressor, z, away(z, distance));
    CHECK_FALSE(in_full(sent.bytes));
    if (distance == 0.0) CHECK(sent.bytes.size() == head);
    if (distance > 0.0) CHECK(sent.bytes.size() > before);
    before = sent.bytes.size();
  }
  // Side information that is farther away than 0 is of no use, and does no harm.
  const auto far = message(*compressor, z, away(z, 5.0));
  CHECK(in_full(far.bytes));
  CHECK(far.bytes.size() == message(*compressor, z, {}).bytes.size());
}

TEST_CASE(
    "near grid: with k spelled, what lies inside the bound takes log2 k bits, what does not, full ones") {
  const auto compressor = near_compressor<double>("mod(k=16, step=0.01)");
  const auto z = gaussian<double>(size, 5);
  auto y = z;
  CHECK(message(*compressor, z, y).bytes.size() == 2 + 1 + size / 2);
  // q - p is in [-1, 1] but for one coordinate.
  for (const double inside : {-0.06, 0.07}) {
    y[100] = z[100] + inside;
    CHECK_FALSE(in_full(message(*compressor, z, y).bytes));
  }
  for (const double outside : {-0.1, 0.1}) {
    y[100] = z[100] + outside;
    const auto sent = message(*compressor, z, y);
    CHECK(in_full(sent.bytes));
    std::vector<double> held(size, 0.0);
    REQUIRE(compressor->accumulate(sent.bytes, 1.0, held) ==
            CodecStatus::ok);  // it needs no side information
    CHECK(held == sent.decoded);
  }
}

TEST_CASE(
    "near grid: a receiver whose side information the sender does not know reads well inside the bound") {
  const auto compressor = near_compressor<double>("mod(k=16, step=0.01)");
  const auto z = gaussian<double>(size, 5);
  const auto sent = message(*compressor, z, z);
  auto y = z;
  for (std::size_t i = 0; i < size; ++i) y[i] += i % 2 == 0 ? 0.055 : -0.055;  // a code is a step off at most
  std::vector<double> held(size, 0.0);
  REQUIRE(compressor->accumulate_near(sent.bytes, y, 1.0, held) == CodecStatus::ok);
  CHECK(held == sent.decoded);
}

TEST_CASE(
    "near grid: a receiver with other side information than the sender finds out, and changes nothing") {
  const auto compressor = near_compressor<double>("grid(step=0.01)");
  int found_out = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto z = gaussian<double>(size, seed);
    const auto sent = message(*compressor, z, away(z, 0.02));
    REQUIRE_FALSE(in_full(sent.bytes));
    auto other = away(z, 0.02);
    other[seed] += 0.5;
    std::vector<double> held(size, 0.5);
    found_out += compressor->accumulate_near(sent.bytes, other, 1.0, held) == CodecStatus::out_of_reach;
    if (held != std::vector<double>(size, 0.5)) --found_out;
  }
  CHECK(found_out == 200);  // a mismatch escapes the checksum with probability 2^-16
}

TEST_CASE("near grid: the bytes of a message") {
  const auto compressor = near_compressor<float>("grid(step=1)");
  const auto hex = [](const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
      constexpr char digits[] = "0123456789abcdef";
      text += {digits[std::to_integer<int>(byte >> 4)], digits[std::to_integer<int>(byte & std::byte{15})]};
    }
    return text;
  };
  // Differences -1, 0 and 1: k = 3 = 2^(5/4), rounded up. Codes 4, 5, 6 modulo 3: 1 + 3 (2 + 3 * 0) = 7.
  CHECK(hex(message<float>(*compressor, {4, 5, 6}, {5, 5, 5}).bytes).substr(4) == "8607");
  // In full: -2 and 1 modulo 4 = 2^(7/4), rounded up: 2 + 4 * 1.
  CHECK(hex(message<float>(*compressor, {-2, 1}, {900, 1}).bytes).substr(4) == "0706");
  // The k that is spelled, 16: -2 and 1 modulo 16.
  CHECK(hex(message<float>(*near_compressor<float>("mod(k=16, step=1)"), {-2, 1}, {5, 1}).bytes).substr(4) ==
        "fe1e");
  const float infinity = std::numeric_limits<float>::infinity();
  const auto none = message<float>(*compressor, {1, infinity}, {1, 1});
  CHECK(none.status == CodecStatus::not_finite);
  CHECK(hex(none.bytes) == "ff");
  std::vector<float> held(2, 0.0f);
  CHECK(compressor->accumulate(none.bytes, 1.0f, held) == CodecStatus::not_finite);
  CHECK(message<float>(*compressor, {1, 1e30f}, {1, 1}).status == CodecStatus::saturated);
}

TEST_CASE("near grid: bytes that are cut off or changed are refused or decode to finite numbers") {
  const auto compressor = near_compressor<float>("mod(k=5, step=0.5, bucket=3)");
  const auto z = gaussian<float>(8, 2);
  const auto sent = message<float>(*compressor, z, away(z, 0.4));
  std::vector<float> held(8, 0.25f);
  for (std::size_t bytes = 0; bytes < sent.bytes.size(); ++bytes) {
    CHECK(compressor->accumulate_near(std::span(sent.bytes).first(bytes), z, 1.0f, held) ==
          CodecStatus::malformed);
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = sent.bytes;
      changed[bytes] ^= static_cast<std::byte>(1 << bit);
      std::vector<float> taken(8, 0.25f);
      const CodecStatus status = compressor->accumulate_near(changed, z, 1.0f, taken);
      if (status != CodecStatus::ok) CHECK(taken == held);
      for (const float value : taken) CHECK(std::isfinite(value));
    }
  }
  CHECK(held == std::vector<float>(8, 0.25f));
  auto longer = sent.bytes;
  longer.push_back(std::byte{0});
  CHECK(compressor->accumulate_near(longer, z, 1.0f, held) == CodecStatus::malformed);
}

TEST_CASE("near grid: it is made of a grid alone") {
  for (const char* spelling : {"none", "topk(10%)", "dither(linf, bits=8)", "grid(step=0.01) | entropy",
                               "mod(k=16, step=0.01, nearest)", "scale{grid(step=0.01)}"})
    CHECK(make_near_compressor<float>(spelling, {}) == nullptr);
}

TEST_CASE("radix digits: what is written is read, in close to log2 k bits a number") {
  for (const std::uint64_t k : {1ull, 2ull, 3ull, 5ull, 16ull, 17ull, 255ull, 65536ull, 1ull << 32}) {
    const RadixDigits digits(k);
    for (const std::size_t count : {0, 1, 7, 40, 41, 512}) {
      std::vector<std::byte> bytes(digits.bytes(count));
      const auto number = [&](std::size_t i) { return (k - 1) - (i * 2654435761u) % k; };
      digits.write(count, bytes, number);
      std::size_t wrong = 0;
      CHECK(
          digits.read(count, bytes, [&](std::size_t i, std::uint64_t read) { wrong += read != number(i); }));
      CHECK(wrong == 0);
      CHECK(static_cast<double>(8 * bytes.size()) >=
            static_cast<double>(count) * std::log2(static_cast<double>(k)) - 1e-9);
    }
    const double bits = 8.0 * static_cast<double>(digits.bytes(6400)) / 6400;
    if (k > 1 && k <= 64) CHECK(bits <= 1.07 * std::log2(static_cast<double>(k)));
  }
  // Five digits in base 3 are at most 242.
  const std::vector<std::byte> too_large = {std::byte{243}};
  CHECK_FALSE(RadixDigits(3).read(5, too_large, [](std::size_t, std::uint64_t) {}));
}

}  // namespace hearsay::test::near_grid_test
