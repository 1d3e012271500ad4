#include "algorithms/compression/nested.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::nested_test {

namespace {

template <class Scalar>
std::vector<Scalar> image(const std::string& spelling, const std::vector<Scalar>& z, std::uint64_t seed = 1) {
  const auto compressor = make_compressor<Scalar>(spelling, {});
  PacketBuffer out = buffer();
  RandomStream random(seed, 0, 0, Purpose::compression);
  std::vector<Scalar> decoded(z.size(), Scalar(0));
  CHECK(compressor->encode_and_apply({z, random}, out, decoded) == CodecStatus::ok);
  return decoded;
}

}  // namespace

TEST_CASE_TEMPLATE("repeat: R times topk(k) is topk(R k), bit for bit", Scalar, float, double) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto z = gaussian<Scalar>(400, seed);
    CHECK(image<Scalar>("repeat(4){topk(k=9)}", z) == image<Scalar>("topk(k=36)", z));
    CHECK(image<Scalar>("repeat(3){topk(50%)}", z) == z);  // nothing is left after the second round
  }
}

TEST_CASE("repeat: of an unbiased compressor it is unbiased, its error shrinks as omega to the power of R") {
  const auto z = gaussian<double>(64, 3);
  double norm = 0.0;
  for (const double value : z) norm += value * value;
  std::vector<double> mean(z.size(), 0.0);
  double error = 0.0;
  constexpr int rounds = 4000;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const auto decoded = image<double>("repeat(2){dither(linf, levels=2, bucket=64)}", z, seed);
    for (std::size_t i = 0; i < z.size(); ++i) {
      mean[i] += decoded[i] / rounds;
      error += std::pow(decoded[i] - z[i], 2) / rounds;
    }
  }
  const double omega =
      make_compressor<double>("repeat(2){dither(linf, levels=2, bucket=64)}", {})->traits(64).omega;
  CHECK(omega == doctest::Approx(std::pow(
                     make_compressor<double>("dither(linf, levels=2, bucket=64)", {})->traits(64).omega, 2)));
  CHECK(error <= omega * norm);
  // The square of the deviation of a mean of 4000 is below 6 times its expectation.
  double off = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) off += std::pow(mean[i] - z[i], 2);
  CHECK(off <= error / rounds * 6);
}

TEST_CASE_TEMPLATE("repeat: however often, no error below the roundings of its sum is promised", Scalar,
                   float, double) {
  const auto z = gaussian<Scalar>(500, 4);
  const double epsilon = std::numeric_limits<Scalar>::epsilon();
  for (const std::string spelling :
       {"repeat(64){natural}", "repeat(64){qsgdinf(8)}", "repeat(20){randk(90%, scaled)}",
        "induced{repeat(32){natural}}{repeat(32){natural}}"}) {
    CAPTURE(spelling);
    const auto decoded = image<Scalar>(spelling, z);
    double error = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      error += std::pow(static_cast<double>(decoded[i]) - static_cast<double>(z[i]), 2);
      norm += std::pow(static_cast<double>(z[i]), 2);
    }
    const Traits traits = make_compressor<Scalar>(spelling, {})->traits(z.size());
    CHECK(error <= 1.5 * traits.omega * norm);
    CHECK(traits.omega >= epsilon * epsilon);
    CHECK(*traits.contraction <= 1.0 - epsilon * epsilon);
  }
  CHECK(make_compressor<Scalar>("repeat(3){none}", {})->traits(500).omega == 0.0);
}

TEST_CASE("scale: the factor is 1 / (1 + omega), and so is the contraction") {
  const auto z = gaussian<double>(100, 5);
  const auto plain = image<double>("randk(25%, scaled)", z);
  const auto scaled = image<double>("scale{randk(25%, scaled)}", z);
  for (std::size_t i = 0; i < z.size(); ++i) CHECK(scaled[i] == 0.25 * plain[i]);  // omega = 3
  const Traits traits = make_compressor<double>("scale{randk(25%, scaled)}", {})->traits(100);
  CHECK_FALSE(traits.unbiased);
  CHECK(*traits.contraction == doctest::Approx(0.25));
}

TEST_CASE("nested: a part is refused that may be longer than the length before it can say") {
  const SegmentTable segments = {{"parameters", 0, 1'000'000'000}};
  const auto refusal = [&](const std::string& spelling) {
    return misuse_text([&] { make_compressor<double>(spelling, segments); });
  };
  CHECK(refusal("repeat(2){none}") ==
        "algorithm.compressor = \"repeat(2){none}\": column 1: a message of none can take 8000000000 bytes, "
        "and repeat writes such a length with 32 bits");
  CHECK(refusal("induced{topk(50%)}{none}") ==
        "algorithm.compressor = \"induced{topk(50%)}{none}\": column 1: a message of topk(50%) can take "
        "6000000000 bytes, and induced writes such a length with 32 bits");
  for (const char* accepted : {"repeat(1){none}", "repeat(2){topk(1%)}", "induced{topk(1%)}{none}"})
    CHECK(refusal(accepted) == "");
}

TEST_CASE("transforms: more coefficients than 32 bits number are refused") {
  const SegmentTable segments = {{"parameters", 0, 1'100'000'000}};
  const auto refusal = [&](const std::string& spelling) {
    return misuse_text([&] { make_compressor<float>(spelling, segments); });
  };
  CHECK(refusal("kashin | topk(1%)") == "");
  CHECK(refusal("kashin | kashin | topk(1%)").find("4294967295") != std::string::npos);
}

TEST_CASE("repeat: its compressor is told what of the vector is new") {
  const auto z = gaussian<double>(200, 11);
  const auto latest = gaussian<double>(200, 12);
  const auto message = [&](const char* spelling, std::span<const double> told) {
    PacketBuffer out = buffer();
    RandomStream random(1, 0, 0, Purpose::compression);
    CHECK(make_compressor<double>(spelling, {})->encode({z, random, told}, out) == CodecStatus::ok);
    return std::vector<std::byte>(out.bytes().begin(), out.bytes().end());
  };
  CHECK(message("repeat(1){adacomp(bin=20)}", latest) == message("adacomp(bin=20)", latest));
  CHECK(message("repeat(1){adacomp(bin=20)}", latest) != message("adacomp(bin=20)", {}));
}

TEST_CASE("scale: one object serves vectors of several dimensions, each with its factor") {
  const auto compressor = make_compressor<double>("scale{randk(k=10, scaled)}", {});
  for (const std::size_t d : {100u, 40u, 10u, 100u}) {
    const auto z = gaussian<double>(d, 7);
    PacketBuffer out = buffer();
    RandomStream random(2, 0, 0, Purpose::compression);
    std::vector<double> decoded(d, 0.0);
    REQUIRE(compressor->encode_and_apply({z, random}, out, decoded) == CodecStatus::ok);
    // A kept value is multiplied by d / 10, then divided by 1 + omega = d / 10.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < d; ++i) {
      if (decoded[i] == 0.0) continue;
      ++kept;
      CHECK(decoded[i] == doctest::Approx(z[i]).epsilon(1e-14));
    }
    CHECK(kept == 10);
  }
}

TEST_CASE("scale: a biased compressor is refused, whether or not the size of the model is known") {
  CHECK_THROWS_AS(make_compressor<float>("scale{topk(1%)}", {}), Misuse);
  CHECK_THROWS_AS(make_compressor<float>("scale{topk(1%)}", {{"all", 0, 300}}), Misuse);
}

TEST_CASE("induced: what the first compressor misses, the second one codes, what it hits is exact") {
  auto z = gaussian<double>(100, 6);
  z[17] = 50.0;
  const auto decoded = image<double>("induced{topk(k=1)}{dither(linf, levels=3, bucket=whole)}", z);
  CHECK(decoded[17] == 50.0);
  const Traits traits = make_compressor<double>("induced{topk(10%)}{qsgdinf(4)}", {})->traits(100);
  CHECK(traits.unbiased);
  CHECK(traits.omega == doctest::Approx(0.9 * make_compressor<double>("qsgdinf(4)", {})->traits(100).omega));
}

}  // namespace hearsay::test::nested_test
