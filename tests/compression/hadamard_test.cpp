#include "algorithms/compression/transforms/hadamard.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/transforms/fwht.hpp"
#include "algorithms/compression/transforms/hadamard_kernels.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::hadamard_test {

namespace {

template <class Scalar>
std::vector<Scalar> coefficients(const Fwht<Scalar>& shape, const std::vector<Scalar>& z,
                                 std::uint64_t seed) {
  Fwht<Scalar> fwht = shape;
  std::vector<Scalar> y(fwht.coefficients(z.size()));
  fwht.forward(z, seed, y);
  return y;
}

double norm(const auto& x) {
  using Scalar = typename std::remove_cvref_t<decltype(x)>::value_type;
  return std::sqrt(squared_norm(std::span<const Scalar>(x)));
}

/// Shapes that concentrate the norm or align with rows of the Hadamard matrix.
template <class Scalar>
std::vector<std::vector<Scalar>> unit_like_vectors(std::size_t n) {
  std::vector<std::vector<Scalar>> all{gaussian<Scalar>(n, 1)};
  for (const std::size_t period : {std::size_t{1}, std::size_t{2}, n / 2 + 1, n}) {
    auto& z = all.emplace_back(n, Scalar(0));  // spikes
    for (std::size_t i = period / 3; i < n; i += period) z[i] = Scalar(5);
    auto& wave = all.emplace_back(n, Scalar(1));  // rows of the Hadamard matrix
    for (std::size_t i = 0; i < n; ++i)
      if (i & period) wave[i] = Scalar(-1);
  }
  auto& heavy = all.emplace_back(gaussian<Scalar>(n, 2));
  for (Scalar& value : heavy) value = value * value * value;
  auto& decay = all.emplace_back(n);
  for (std::size_t i = 0; i < n; ++i) decay[i] = static_cast<Scalar>(std::pow(0.9, double(i)));
  return all;
}

}  // namespace

TEST_CASE("fwht: the kernels equal the plain arithmetic bit for bit on every instruction set") {
  const int targets = on_every_target([] {
    for (std::size_t n = 1; n <= 16384; n *= 2)
      for (const std::size_t size : {n, n - n / 3, n / 2 + 1}) {
        CAPTURE(n);
        CAPTURE(size);
        const ElementKey key{0x1234567u + static_cast<std::uint32_t>(n), 0x89abcdefu};
        auto z = gaussian<float>(size, n);
        for (std::size_t i = 0; i < size; i += 7) z[i] = std::ldexp(z[i], static_cast<int>(i % 90) - 45);
        std::vector<float> plain(n, 7.0f);
        std::vector<float> fast(n, 9.0f);
        signed_hadamard_plain<float>(z, key, 4'294'967'000u, plain);
        signed_hadamard<float>(z, key, 4'294'967'000u, fast);
        REQUIRE(std::memcmp(plain.data(), fast.data(), n * sizeof(float)) == 0);
        std::vector<float> plain_back(size);
        std::vector<float> fast_back(size);
        hadamard_signed_plain<float>(plain, key, 4'294'967'000u, plain_back);
        hadamard_signed<float>(fast, key, 4'294'967'000u, fast_back);
        REQUIRE(std::memcmp(plain_back.data(), fast_back.data(), size * sizeof(float)) == 0);
      }
  });
  MESSAGE("instruction sets compared: ", targets);
  CHECK(targets >= 2);
}

TEST_CASE("fwht: is the matrix of signs (-1)^popcount(row & column) over the root of its size") {
  const std::size_t n = 256;
  const ElementKey key = sign_key(0xFEDCBA9876543210u);
  CHECK(key.a == 0xFEDCBA98u);
  CHECK(key.b == 0x76543210u);
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<float> unit(n, 0.0f);
    unit[column] = 1.0f;
    std::vector<float> y(n);
    signed_hadamard<float>(unit, key, 100, y);
    const bool flipped = element_bits(key, 100 + static_cast<std::uint32_t>(column)) >> 31;
    for (std::size_t row = 0; row < n; ++row)
      REQUIRE(y[row] == ((std::popcount(row & column) % 2 == 1) != flipped ? -0.0625f : 0.0625f));
  }
}

TEST_CASE_TEMPLATE("fwht: Parseval, and the inverse gives the vector back, to rounding", Scalar, float,
                   double) {
  const double epsilon = std::numeric_limits<Scalar>::epsilon();
  for (const std::size_t block : {2u, 64u, 4096u})
    for (const std::size_t n : {1u, 2u, 3u, 64u, 127u, 4096u, 5000u, 12289u})
      for (const auto& z : unit_like_vectors<Scalar>(n)) {
        CAPTURE(block);
        CAPTURE(n);
        Fwht<Scalar> fwht(block);
        auto y = coefficients(fwht, z, 17);
        CHECK(y.size() < 2 * n);
        // m + 1 roundings of relative size epsilon / 2 along the way, each on a vector of the same norm.
        const double tolerance = 14 * epsilon * norm(z);
        CHECK(std::abs(norm(y) - norm(z)) <= tolerance);
        std::vector<Scalar> back(n);
        fwht.inverse(y, 17, back);
        CHECK(std::sqrt(squared_distance<Scalar>(back, z)) <= 2 * tolerance);
      }
}

TEST_CASE_TEMPLATE("fwht: no coefficient is above 2 sqrt(ln(2N) / N) of the norm", Scalar, float, double) {
  // By the proof the bound holds with probability 1 - 1/(2N) per seed; the seeds are fixed, and it holds for
  // all of them.
  const std::size_t n = 1024;
  const double bound = 2.0 * std::sqrt(std::log(2.0 * static_cast<double>(n)) / static_cast<double>(n));
  for (const auto& z : unit_like_vectors<Scalar>(n))
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      double largest = 0.0;
      for (const Scalar value : coefficients(Fwht<Scalar>(n), z, seed * 0x9E3779B97F4A7C15u))
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      CHECK(largest <= bound * norm(z));
    }
}

TEST_CASE("fwht: the signs of different seeds and blocks are independent, as many of one as of the other") {
  // For a constant vector, the inner product of the coefficients of two blocks is that of their signs.
  const std::size_t n = 4096;
  const std::vector<double> ones(2 * n, 1.0);
  std::vector<std::vector<double>> blocks;
  for (std::uint64_t iteration = 0; iteration < 12; ++iteration) {
    RandomStream random(1, 0, iteration, Purpose::compression);  // seeds as messages draw them
    const std::uint64_t seed = std::uint64_t{random.bits()} << 32 | random.bits();
    const auto y = coefficients(Fwht<double>(n), ones, seed);
    blocks.emplace_back(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
    blocks.emplace_back(y.begin() + static_cast<std::ptrdiff_t>(n), y.end());
  }
  const double deviations = 5.0 * std::sqrt(static_cast<double>(n));
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    CHECK(std::abs(blocks[a][0]) * std::sqrt(static_cast<double>(n)) < deviations);  // the sum of the signs
    for (std::size_t b = 0; b < a; ++b) CHECK(std::abs(dot<double>(blocks[a], blocks[b])) < deviations);
  }
}

TEST_CASE("fwht: what is known of the stages behind it stays, but for bounds that hold by the coordinate") {
  const auto traits = [](const std::string& spelling) {
    return make_compressor<double>(spelling, layers(8192))->traits(8192);
  };
  const Traits dither = traits("dither(linf, levels=7, bucket=512)");
  const Traits behind = traits("fwht | dither(linf, levels=7, bucket=512)");
  CHECK(behind.unbiased);
  CHECK(behind.omega == dither.omega);
  CHECK(behind.bytes == dither.bytes + 8);  // the seed
  CHECK_FALSE(behind.deterministic);
  CHECK(traits("fwht | topk(10%)").contraction == traits("topk(10%)").contraction);
}

TEST_CASE("fwht: a spiky vector loses less to a coarse quantizer") {
  const std::size_t n = 4096;
  std::vector<double> z = gaussian<double>(n, 3);
  for (std::size_t i = 0; i < n; i += 512) z[i] = 100.0;
  CHECK(lost_share("fwht | dither(linf, levels=7, bucket=512)", z) <
        0.2 * lost_share("dither(linf, levels=7, bucket=512)", z));
}

TEST_CASE("fwht: blocks are powers of two") {
  for (const std::string block : {"0", "1", "1000", "2097152", "2^10", "-2"}) {
    const std::string spelling = "fwht(" + block + ") | qsgd";
    CHECK(misuse_text([&] { make_compressor<float>(spelling, {}); }) ==
          "algorithm.compressor = \"" + spelling +
              "\": column 6: expected a power of two from 2 to 1048576, got '" + block + "'");
  }
}

}  // namespace hearsay::test::hadamard_test
