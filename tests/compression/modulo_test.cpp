#include "algorithms/compression/modulo.hpp"

#include <doctest/doctest.h>

#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"

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
