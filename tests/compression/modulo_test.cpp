#include "algorithms/compression/modulo.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "algorithms/compression/quantizers/grid_rounding.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::modulo_test {

namespace {

constexpr double step = 0.01;
constexpr std::size_t bucket = 512;
constexpr std::size_t remainder_bytes = 3 + 256;  // the bytes of a full bucket with k = 16

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> modulo(const std::string& k = "16") {
  return make_compressor<Scalar>("mod(k=" + k + ", step=0.01, bucket=512)", {});
}

/// A vector at most `distance` away from `z`.
template <class Scalar>
std::vector<Scalar> near(const std::vector<Scalar>& z, double distance, std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::data);
  std::vector<Scalar> y = z;
  for (Scalar& value : y)
    value = static_cast<Scalar>(static_cast<double>(value) + distance * (2.0 * random.uniform() - 1.0));
  return y;
}

}  // namespace

TEST_CASE_TEMPLATE(
    "mod: near enough, a holder recovers exactly the sender's grid points, however large they are", Scalar,
    float, double) {
  const auto compressor = modulo<Scalar>();
  for (const double size : {1.0, 100.0}) {
    auto z = gaussian<Scalar>(bucket, 5);
    for (Scalar& value : z) value = static_cast<Scalar>(size) * value;
    // k step >= 2 (step + |z - y|) leaves 0.07; half a step of it is kept for the rounding of the quotients.
    const auto y = near(z, 0.064, 6);
    RandomStream random(1, 0, 0, Purpose::compression);
    PacketBuffer out = buffer();
    std::vector<Scalar> sent(bucket, Scalar(0));
    REQUIRE(compressor->encode_and_apply({.vector = z, .random = random, .near = z}, out, sent) ==
            CodecStatus::ok);
    CHECK(out.bytes().size() == remainder_bytes);
    std::vector<Scalar> held(bucket, Scalar(0));
    REQUIRE(compressor->accumulate_near(out.bytes(), y, Scalar(1), held) == CodecStatus::ok);
    CHECK(held == sent);
    for (std::size_t i = 0; i < bucket; ++i) CHECK(std::abs(held[i] - z[i]) < step * 1.001);
  }
}

/// The code of the box of modulo.hpp, in plain arithmetic.
template <class Scalar>
double plain_code(Scalar z, bool nearest, ElementKey key, std::uint32_t index) {
  const GridPosition place = grid_position(static_cast<double>(z) / step);
  if (nearest) return static_cast<double>(place.whole + (place.fraction >= 0.5 ? 1 : 0));
  return static_cast<double>(place.rounded(element_bits(key, index)));
}

TEST_CASE_TEMPLATE(
    "mod: codes, words and what is found near side information are the plain arithmetic on every instruction "
    "set",
    Scalar, float, double) {
  constexpr ElementKey key{7, 8};
  constexpr std::uint32_t first = 4'294'967'200u;
  for (const std::int64_t k : {5, 16, 65'536})
    for (const bool nearest : {false, true})
      for (const double size : {1e-3, 1.0, 1e6}) {
        const ModuloGrid grid{step, static_cast<double>(k), 0x1p52, nearest};
        auto z = gaussian<Scalar>(203, 5);
        for (Scalar& value : z) value = static_cast<Scalar>(size) * value;
        z[3] = 0;
        z[4] = Scalar(-0.0);
        const auto y = near(z, step / 2, 6);
        on_every_target([&] {
          std::vector<double> codes(z.size()), found(z.size());
          std::vector<std::int32_t> words(z.size());
          std::vector<Scalar> values(z.size());
          REQUIRE(modulo_codes<Scalar>(grid, z, y, key, first, codes));
          modulo_words(grid, codes, words);
          REQUIRE(modulo_nearest<Scalar>(grid, words, y, found, values));
          for (std::size_t i = 0; i < z.size(); ++i) {
            REQUIRE(codes[i] == plain_code(z[i], nearest, key, first + static_cast<std::uint32_t>(i)));
            const auto code = static_cast<std::int64_t>(codes[i]);
            REQUIRE(words[i] == (code % k + k) % k);
            REQUIRE(found[i] == codes[i]);
            REQUIRE(values[i] == static_cast<Scalar>(codes[i] * step));
          }
        });
      }
}

TEST_CASE_TEMPLATE("mod: the kernels find what is out of range, too far, or no word, at every place", Scalar,
                   float, double) {
  const ModuloGrid grid{step, 16.0, 1e6, false};
  on_every_target([&] {
    const std::vector<Scalar> zeros(35, Scalar(0));
    std::vector<double> codes(35);
    std::vector<Scalar> values(35);
    for (std::size_t at = 0; at < zeros.size(); ++at) {
      for (const Scalar bad : {Scalar(2e4), std::numeric_limits<Scalar>::quiet_NaN(),
                               std::numeric_limits<Scalar>::infinity(), Scalar(0.2)}) {
        auto z = zeros;
        z[at] = bad;
        REQUIRE_FALSE(modulo_codes<Scalar>(grid, z, zeros, {1, 2}, 0, codes));
        REQUIRE_FALSE(modulo_codes<Scalar>(grid, z, {}, {1, 2}, 0, codes));
        REQUIRE_FALSE(modulo_codes<Scalar>(grid, zeros, z, {1, 2}, 0, codes));
      }
      std::vector<std::int32_t> words(35, 15);
      auto y = zeros;
      REQUIRE(modulo_nearest<Scalar>(grid, words, y, codes, values));
      words[at] = 16;
      REQUIRE_FALSE(modulo_nearest<Scalar>(grid, words, y, codes, values));
      words[at] = 0;
      y[at] = std::numeric_limits<Scalar>::quiet_NaN();
      REQUIRE_FALSE(modulo_nearest<Scalar>(grid, words, y, codes, values));
    }
  });
}

TEST_CASE("mod: too far away, the checksum says so, a sender who knows sends the bucket in full precision") {
  const auto compressor = modulo<double>();
  int detected = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto z = gaussian<double>(bucket, seed);
    auto y = near(z, 0.02, seed);
    y[seed] += 0.12;  // together with the earlier distance and a rounding: more than k step / 2 = 0.08 away
    RandomStream random(1, 0, seed, Purpose::compression);
    PacketBuffer out = buffer();
    REQUIRE(compressor->encode({.vector = z, .random = random, .near = z}, out) == CodecStatus::ok);
    std::vector<double> held(bucket, 0.5);
    detected += compressor->accumulate_near(out.bytes(), y, 1.0, held) == CodecStatus::out_of_reach;
    if (seed > 0) continue;
    CHECK(held == std::vector<double>(bucket, 0.5));
    // If the sender knows the vector of the holder, it sends this bucket in full precision.
    REQUIRE(compressor->encode({.vector = z, .random = random, .near = y}, out) == CodecStatus::ok);
    CHECK(out.bytes().size() == 1 + bucket * sizeof(double));
    std::vector<double> exact(bucket, 0.0);
    REQUIRE(compressor->accumulate_near(out.bytes(), y, 1.0, exact) == CodecStatus::ok);
    CHECK(exact == z);
  }
  CHECK(detected == 200);  // each mismatch escapes the checksum with probability 2^-16
}

TEST_CASE(
    "mod: remainders are sent up to (k - 3) / 2 steps from what the holder has, and beyond it the values") {
  // Steps are powers of two, so the quotients are exact.
  const auto compressor = make_compressor<double>("mod(k=16, step=0.25, bucket=8)", {});
  const std::vector<double> y = {0.0, 3.0, -7.5, 100.0, 0.1, -0.1, 2.0, 1000.0};
  for (const double direction : {-1.0, 1.0})
    for (const bool inside : {true, false}) {
      auto z = y;
      z[3] += direction * (6.5 * 0.25 + (inside ? 0.0 : 1e-9));
      RandomStream random(3, 0, 0, Purpose::compression);
      PacketBuffer out = buffer();
      std::vector<double> sent(z.size(), 0.0);
      REQUIRE(compressor->encode_and_apply({.vector = z, .random = random, .near = y}, out, sent) ==
              CodecStatus::ok);
      CHECK(out.bytes().size() == (inside ? 1 + 2 + 4 : 1 + 8 * sizeof(double)));
      CHECK(std::abs(sent[3] - z[3]) < 0.25);
      CHECK((sent == z) == !inside);
      std::vector<double> held(z.size(), 0.0);
      REQUIRE(compressor->accumulate_near(out.bytes(), y, 1.0, held) == CodecStatus::ok);
      CHECK(held == sent);
    }
}

TEST_CASE("mod: what is sent does not depend on how large the vector is") {
  const auto compressor = modulo<double>("1000");
  const auto z = gaussian<double>(3 * bucket, 9);
  for (const double offset : {0.0, 1e3, 1e9}) {
    auto moved = z;
    for (double& value : moved) value += offset;
    RandomStream random(1, 0, 0, Purpose::compression);
    PacketBuffer out = buffer();
    REQUIRE(compressor->encode({.vector = moved, .random = random, .near = moved}, out) == CodecStatus::ok);
    CHECK(out.bytes().size() == 3 * (3 + bucket * 10 / 8));
  }
}

TEST_CASE_TEMPLATE("mod: with nearest one bit finds the grid's nearest point within half a step", Scalar,
                   float, double) {
  const auto compressor = make_compressor<Scalar>("mod(k=2, step=0.25, nearest, bucket=512)", {});
  CHECK(compressor->spelling() == "mod(k=2, step=0.25, nearest, bucket=512)");
  const Traits traits = compressor->traits(bucket);
  CHECK_FALSE(traits.unbiased);
  CHECK(traits.deterministic);
  CHECK(*traits.reach == 0.125);
  const auto z = gaussian<Scalar>(bucket, 5);
  for (const double distance : {0.0, 0.1249, 0.3}) {
    const auto y = near(z, distance, 6);
    RandomStream random(1, 0, 0, Purpose::compression);
    PacketBuffer out = buffer();
    REQUIRE(compressor->encode({.vector = z, .random = random, .near = z}, out) == CodecStatus::ok);
    CHECK(out.bytes().size() == 3 + bucket / 8);
    std::vector<Scalar> held(bucket, Scalar(0));
    const CodecStatus status = compressor->accumulate_near(out.bytes(), y, Scalar(1), held);
    CHECK(status == (distance < 0.125 ? CodecStatus::ok : CodecStatus::out_of_reach));
    if (status != CodecStatus::ok) continue;
    for (std::size_t i = 0; i < bucket; ++i) {
      CHECK(std::abs(held[i] - z[i]) <= 0.125);
      CHECK(held[i] == Scalar(0.25) * std::floor(z[i] / Scalar(0.25) + Scalar(0.5)));
    }
  }
}

TEST_CASE("mod: k below 4, no step and no k are refused") {
  const auto refusal = [](const std::string& spelling) {
    return misuse_text([&] { make_compressor<float>(spelling, {}); });
  };
  CHECK(contains(refusal("mod(k=3, step=1)"), "column 7: expected a whole number from 4 to 65536"));
  CHECK(contains(refusal("mod(k=1, step=1, nearest)"), "expected a whole number from 2 to 65536"));
  CHECK(contains(refusal("mod(16)"), "mod needs step="));
  CHECK(contains(refusal("mod(step=0.1)"), "mod needs k="));
  CHECK(contains(refusal("mod(k=16, step=1e-60)"), "range of normal numbers"));
}

}  // namespace hearsay::test::modulo_test
