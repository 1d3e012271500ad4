#include "algorithms/compression/rate_distortion.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/arithmetic/random.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/compressor_spellings.hpp"

namespace hearsay::test::rate_distortion_test {

namespace {

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-9); }

/// Vectors of n peers: of variance `shared` in common, and of variance `own` each, in the first half of the
/// coordinates; of a quarter of both in the second.
std::vector<Vector<double>> vectors_of(std::size_t n, Index dimension, double shared, double own) {
  RandomStream random(7, 0, 0, Purpose::data);
  std::vector<Vector<double>> vectors(n, Vector<double>(dimension));
  for (Index j = 0; j < dimension; ++j) {
    const double scale = 2 * j < dimension ? 1.0 : 0.5;
    const double signal = scale * std::sqrt(shared) * random.normal();
    for (Vector<double>& vector : vectors) vector[j] = signal + scale * std::sqrt(own) * random.normal();
  }
  return vectors;
}

}  // namespace

TEST_CASE("rate-distortion: variances are told apart, bucket by bucket") {
  const auto vectors = vectors_of(8, 200'000, 1.0, 3.0);
  const auto buckets = correlated_vectors<double>(vectors, 100'000);
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].share == 0.5);
  // Standard errors: about 0.007 and 0.009.
  CHECK(std::abs(buckets[0].shared - 1.0) < 0.04);
  CHECK(std::abs(buckets[0].own - 3.0) < 0.05);
  CHECK(std::abs(buckets[1].shared - 0.25) < 0.01);
  CHECK(std::abs(buckets[1].own - 0.75) < 0.0125);
}

TEST_CASE("rate-distortion: equal vectors have nothing of their own, opposite ones nothing in common") {
  Vector<double> vector(3);
  vector << 1.0, -2.0, 2.0;
  const std::vector<Vector<double>> equal = {vector, vector};
  const auto same = correlated_vectors<double>(equal, 512);
  CHECK(same.front().shared == about(3.0));
  CHECK(same.front().own == 0.0);
  const std::vector<Vector<double>> opposite = {vector, -vector};
  const auto apart = correlated_vectors<double>(opposite, 512);
  CHECK(apart.front().shared == 0.0);
  CHECK(apart.front().own == about(3.0));
}

TEST_CASE("rate-distortion: one bucket is the textbook's Gaussian, and water fills the lower one first") {
  const std::vector<CorrelatedVectors> one = {{1.0, 3.0, 1.0}};
  CHECK(gaussian_bits(one, 1.0) == about(1.0));
  CHECK(gaussian_bits(one, 0.25) == about(2.0));
  CHECK(gaussian_bits(one, 4.0) == 0.0);
  CHECK(gaussian_bits(one, 0.25) == about(universal_bits(0.25 / 4.0)));
  // Variances 4 and 1/4: at the level 1/4 and above only the first is told.
  const std::vector<CorrelatedVectors> two = {{0.5, 4.0, 0.0}, {0.5, 0.25, 0.0}};
  CHECK(gaussian_bits(two, 0.5 * 1.0 + 0.5 * 0.25) == about(0.5 * 1.0));
  CHECK(gaussian_bits(two, 0.125) == about(0.5 * 0.5 * std::log2(4.0 / 0.125) + 0.5 * 0.5));
  // Never more than for one variance: buckets only help.
  const std::vector<CorrelatedVectors> flat = {{1.0, 2.125, 0.0}};
  for (const double d : {0.01, 0.1, 0.5, 1.0, 2.0}) CHECK(gaussian_bits(two, d) <= gaussian_bits(flat, d));
}

TEST_CASE("rate-distortion: the sum rate of one peer is that of a remote source") {
  // One peer hears s + e. The best estimate of s from it has the variance s^2 / (s + e), and the rest cannot
  // be known: R(D) = 1/2 log2((v - floor) / (D - floor)) with v = shared and
  // floor = shared own / (shared + own).
  const std::vector<CorrelatedVectors> one = {{1.0, 2.0, 0.5}};
  const double floor = 2.0 * 0.5 / 2.5;
  for (const double d : {0.45, 0.6, 1.0, 1.9})
    CHECK(ceo_bits(one, 1, d) == about(0.5 * std::log2((2.0 - floor) / (d - floor))));
  CHECK(std::isinf(ceo_bits(one, 1, floor)));
  CHECK(ceo_bits(one, 1, 2.0) == 0.0);
}

TEST_CASE("rate-distortion: without noise n peers need the bits of one, together") {
  const std::vector<CorrelatedVectors> noiseless = {{1.0, 2.0, 1e-12}};
  for (const double n : {1.0, 4.0, 32.0})
    CHECK(n * ceo_bits(noiseless, n, 0.5) == doctest::Approx(1.0).epsilon(1e-6));
}

TEST_CASE("rate-distortion: many peers reach the limit of many agents") {
  // n -> infinity: 1/2 log2(shared / D) + (own / 2) (1 / D - 1 / shared) / ln 2
  const std::vector<CorrelatedVectors> buckets = {{1.0, 1.0, 4.0}};
  const double d = 0.25;
  const double limit = 0.5 * std::log2(1.0 / d) + 2.0 * (1.0 / d - 1.0) / std::log(2.0);
  CHECK(1e7 * ceo_bits(buckets, 1e7, d) == doctest::Approx(limit).epsilon(1e-6));
}

TEST_CASE("rate-distortion: to use the correlation never costs bits, and gains where there is some") {
  const double n = 8;
  for (const double shared : {0.1, 0.5, 0.9, 0.99}) {
    const std::vector<CorrelatedVectors> buckets = {{0.5, shared, 1.0 - shared},
                                                    {0.5, 0.1 * shared, 0.1 - 0.1 * shared}};
    double gain = 0.0;
    for (const double distortion : {0.02, 0.1, 0.3}) {
      // Unbiased Gaussian messages of that error, each coded by itself.
      double alone = 0.0;
      for (const CorrelatedVectors& bucket : buckets)
        alone += bucket.share * 0.5 * std::log2(1.0 + (bucket.shared + bucket.own) / distortion);
      const double together = ceo_bits(buckets, n, distortion_of_mean(buckets, n, distortion));
      CHECK(together <= alone + 1e-9);
      gain += alone - together;
    }
    CHECK(gain > 0.0);
  }
}

TEST_CASE("rate-distortion: buckets of one slope are as good as any other allotment") {
  const std::vector<CorrelatedVectors> two = {{0.5, 1.0, 0.5}, {0.5, 0.2, 0.4}};
  const double n = 4;
  const double d = 0.25;
  const double best = ceo_bits(two, n, d);
  const std::vector<CorrelatedVectors> first = {{1.0, 1.0, 0.5}};
  const std::vector<CorrelatedVectors> second = {{1.0, 0.2, 0.4}};
  double least = 1e300;
  for (double of_second = 0.08; of_second <= 0.2; of_second += 1e-4) {
    const double bits = 0.5 * ceo_bits(first, n, 2 * d - of_second) + 0.5 * ceo_bits(second, n, of_second);
    CHECK(best <= bits + 1e-12);
    least = std::min(least, bits);
  }
  CHECK(best == doctest::Approx(least).epsilon(1e-4));
}

TEST_CASE("rate-distortion: no compressor has a point below the universal bound on Gaussian data") {
  constexpr std::size_t d = 4096;
  RandomStream random(11, 0, 0, Purpose::data);
  std::vector<double> z(d);
  for (double& entry : z) entry = random.normal();
  int judged = 0;
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const auto compressor = build<double>(spelling, d);
    double kept = 0.0, size = 0.0, whole = 0.0, bytes = 0.0;
    for (std::uint64_t draw = 0; draw < 4; ++draw) {
      PacketBuffer message = buffer();
      RandomStream noise(13, 0, draw, Purpose::compression);
      std::vector<double> value(d);
      REQUIRE(compressor->encode_and_apply({z, noise}, message, value) == CodecStatus::ok);
      for (std::size_t j = 0; j < d; ++j) {
        kept += value[j] * z[j];
        size += value[j] * value[j];
        whole += z[j] * z[j];
      }
      bytes += static_cast<double>(message.bytes().size());
    }
    if (whole == 0.0 || kept == 0.0) continue;
    // The error of the best multiple of the message.
    const double alpha = 1.0 - kept * kept / (size * whole);
    if (!(alpha > 1e-12)) continue;  // exact
    ++judged;
    const double bits = 8.0 * bytes / (4.0 * d);
    CHECK(bits >= universal_bits(alpha));
  }
  CHECK(judged > 40);
}

}  // namespace hearsay::test::rate_distortion_test
