#include "algorithms/compression/transforms/kashin.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/transforms/fwht.hpp"
#include "algorithms/compression/transforms/kashin_kernels.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::kashin_test {

namespace {

template <class Scalar>
double norm(const std::vector<Scalar>& x) {
  return std::sqrt(squared_norm<Scalar>(x));
}

template <class Scalar>
double largest(const std::vector<Scalar>& x) {
  double largest = 0.0;
  for (const Scalar value : x) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

template <class Scalar>
std::vector<Scalar> coefficients(Transform<Scalar>& transform, const std::vector<Scalar>& z,
                                 std::uint64_t seed) {
  std::vector<Scalar> a(transform.coefficients(z.size()));
  transform.forward(z, seed, a);
  return a;
}

/// Vectors that suit quantizers by the largest magnitude badly: spikes, decays, heavy tails.
template <class Scalar>
std::vector<std::vector<Scalar>> spiky_vectors(std::size_t n) {
  std::vector<std::vector<Scalar>> all;
  for (const std::size_t spikes : {3u, 20u, 100u}) {
    auto& z = all.emplace_back(gaussian<Scalar>(n, spikes));
    for (Scalar& value : z) value *= Scalar(1e-3);
    for (std::size_t k = 0; k < spikes; ++k) z[(k * 37 + 5) % n] = Scalar(1) + Scalar(0.1) * Scalar(k % 10);
  }
  auto& heavy = all.emplace_back(gaussian<Scalar>(n, 2));
  for (Scalar& value : heavy) value = value * value * value;
  auto& decay = all.emplace_back(n);
  for (std::size_t i = 0; i < n; ++i) decay[i] = static_cast<Scalar>(std::pow(0.9, double(i)));
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("kashin: the passes over coefficients are the plain arithmetic on every instruction set",
                   Scalar, float, double) {
  using Limits = std::numeric_limits<Scalar>;
  const auto bits = [](const std::vector<Scalar>& x) { return std::as_bytes(std::span(x)); };
  for (const auto& z : adversarial_vectors<Scalar>())
    for (const Scalar limit : {Scalar(0.5), Scalar(0), Limits::infinity()}) {
      const auto a = gaussian<Scalar>(z.size(), 3);
      std::vector<Scalar> clipped(z), added(a), combined(a), reduced(a);
      for (std::size_t i = 0; i < z.size(); ++i) {
        clipped[i] = std::min(std::max(z[i] * Scalar(0.7), -limit), limit);
        added[i] = a[i] + clipped[i];
        combined[i] = Scalar(0.7) * z[i] + Scalar(0.7) * a[i];
        reduced[i] = a[i] - combined[i];
      }
      on_every_target([&] {
        std::vector<Scalar> c(z), sum(a), v(a), rest(a);
        clip_and_add(std::span<Scalar>(c), Scalar(0.7), limit, std::span<Scalar>(sum));
        combine_halves(std::span<const Scalar>(z), std::span<const Scalar>(a), Scalar(0.7), false,
                       std::span<Scalar>(v));
        combine_halves(std::span<const Scalar>(z), std::span<const Scalar>(a), Scalar(0.7), true,
                       std::span<Scalar>(rest));
        REQUIRE(std::ranges::equal(bits(c), bits(clipped)));
        REQUIRE(std::ranges::equal(bits(sum), bits(added)));
        REQUIRE(std::ranges::equal(bits(v), bits(combined)));
        REQUIRE(std::ranges::equal(bits(rest), bits(reduced)));
      });
    }
}

TEST_CASE_TEMPLATE("kashin: the inverse gives the vector back, to rounding", Scalar, float, double) {
  const double epsilon = std::numeric_limits<Scalar>::epsilon();
  for (const std::size_t block : {2u, 64u, 4096u})
    for (const std::size_t n : {1u, 2u, 3u, 64u, 127u, 4096u, 5000u})
      for (const auto& z : spiky_vectors<Scalar>(std::max<std::size_t>(n, 1))) {
        CAPTURE(block);
        CAPTURE(n);
        Kashin<Scalar> kashin(block);
        auto a = coefficients(kashin, z, 99);
        // The tolerances are for the roundings of the norms in six rounds and of the way back.
        CHECK(squared_norm<Scalar>(a) <= 2.0 * squared_norm<Scalar>(z) * (1 + 20 * epsilon));
        std::vector<Scalar> back(n);
        kashin.inverse(a, 99, back);
        CHECK(std::sqrt(squared_distance<Scalar>(back, z)) <= 100 * epsilon * norm(z));
      }
}

TEST_CASE_TEMPLATE("kashin: the largest coefficient is below fwht's, and 2.5 times the least possible",
                   Scalar, float, double) {
  const std::size_t n = 4096;
  const double least =
      1.0 / std::sqrt(2.0 * static_cast<double>(n));  // over ||z||: ||a||_inf sqrt(N) >= ||a|| >= ||z||
  for (const auto& z : spiky_vectors<Scalar>(n))
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Kashin<Scalar> kashin(n);
      Fwht<Scalar> fwht(n);
      const auto a = coefficients(kashin, z, seed * 0x9E3779B97F4A7C15u);
      const auto y = coefficients(fwht, z, seed * 0x9E3779B97F4A7C15u);
      CHECK(largest(a) >= least * norm(z) * (1 - 1e-6));
      CHECK(largest(a) < 2.5 * least * norm(z));
      CHECK(largest(a) < largest(y));
    }
}

TEST_CASE_TEMPLATE("kashin: no coefficient is larger than the near-democratic ones", Scalar, float, double) {
  for (const auto& z : adversarial_vectors<Scalar>()) {
    // Skipped: 1/sqrt(2) of subnormal numbers is a coarse rounding, and the squares of the largest numbers
    // overflow.
    if (z.empty() || !std::isfinite(norm(z)) || largest(z) < 1e6 * std::numeric_limits<Scalar>::min())
      continue;
    Kashin<Scalar> kashin(4096);
    const auto a = coefficients(kashin, z, 5);
    const std::size_t n = a.size() / 2;
    std::vector<Scalar> y(2 * n);
    signed_hadamard<Scalar>(z, sign_key(5), 0, std::span(y).first(n));
    signed_hadamard<Scalar>(z, sign_key(5), static_cast<std::uint32_t>(n), std::span(y).subspan(n));
    CHECK(largest(a) <= largest(y) * std::sqrt(0.5) * (1 + 1e-6));
  }
}

TEST_CASE("kashin: omega stays, a contraction of delta becomes 2 delta - 1") {
  const auto traits = [](const std::string& spelling, std::size_t d) {
    return make_compressor<double>(spelling, {})->traits(d);
  };
  CHECK(traits("kashin | qsgdinf(4)", 4096).omega == traits("qsgdinf(4)", 8192).omega);
  CHECK(*traits("kashin | topk(80%)", 4096).contraction == doctest::Approx(0.6).epsilon(1e-3));
  CHECK_FALSE(traits("kashin | topk(50%)", 4096).contraction);
}

TEST_CASE("kashin: a heavy-tailed vector loses less to a coarse quantizer than behind fwht") {
  const std::size_t n = 4096;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto z = gaussian<double>(n, seed);
    for (double& value : z) value = value * value * value;
    CHECK(lost_share("dgd-def(bits=3, kashin)", z) < 0.5 * lost_share("dgd-def(bits=3)", z));
  }
}

}  // namespace hearsay::test::kashin_test
