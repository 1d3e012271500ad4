#include "algorithms/compression/quantizers/dither.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/dither_error.hpp"
#include "algorithms/compression/quantizers/dither_kernels.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::dither_test {

template <class Scalar>
std::vector<Bracket> brackets_of(const std::string& spelling, const std::vector<Scalar>& z) {
  const auto compressor = build<Scalar>(spelling, z.size());
  return dynamic_cast<RoundingCompressor<Scalar>&>(*compressor).brackets(z);
}

template <class Scalar>
std::vector<Scalar> decoded(const std::string& spelling, const std::vector<Scalar>& z, RandomStream random) {
  const auto compressor = build<Scalar>(spelling, z.size());
  PacketBuffer out = buffer();
  std::vector<Scalar> value(z.size(), Scalar(0));
  REQUIRE(compressor->encode_and_apply({z, random}, out, value) == CodecStatus::ok);
  return value;
}

double variance_of(const std::vector<Bracket>& brackets) {
  return std::accumulate(brackets.begin(), brackets.end(), 0.0,
                         [](double sum, const Bracket& bracket) { return sum + bracket.variance(); });
}

template <class Scalar>
double norm_1(const std::vector<Scalar>& z) {
  return std::accumulate(z.begin(), z.end(), 0.0, [](double sum, Scalar x) { return sum + std::abs(x); });
}

void encode_fast(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key) {
  encode_buckets_fast({&bucket, 1}, code, key);
}

TEST_CASE("dither: the kernels equal the plain arithmetic bit for bit on every instruction set") {
  const int targets = on_every_target([] {
    std::vector<LevelSet> sets;
    for (const std::int32_t levels : {1, 2, 3, 4, 7, 15, 31, 63, 64, 100, 127}) {
      sets.push_back(LevelSet::uniform(levels));
      sets.push_back(LevelSet::powers_of_two(levels));
    }
    for (const LevelSet& set : sets) {
      const DitherCode code(set);
      CAPTURE(set.spelling());
      REQUIRE(has_dither_kernel(code));
      for (const auto& z : adversarial_vectors<float>()) {
        if (z.empty()) continue;
        CAPTURE(z.size());
        float largest = 0.0f;
        for (const float value : z) largest = std::max(largest, std::abs(value));
        REQUIRE(largest_magnitude(z) == largest);
        std::array<float, 2> both{};
        const DitherBucket<float> bucket{z, 0, {}, nullptr, {}};
        largest_magnitudes(std::array{bucket, bucket}, both);
        REQUIRE(both == std::array{largest, largest});
        const auto step = dither_step<float>(static_cast<double>(largest), code);
        if (step.lift != 1.0f) continue;
        const ElementKey key{0x1234567u + static_cast<std::uint32_t>(z.size()), 0x89abcdefu};
        const auto start = gaussian<float>(z.size(), 3);
        std::vector<std::byte> plain(code.bytes(z.size()), std::byte{0xAA});
        std::vector<std::byte> fast(plain.size(), std::byte{0x55});
        std::vector<std::byte> unapplied = fast;
        auto plain_into = start;
        auto fast_into = start;
        const std::uint32_t first = 4'294'967'000u;
        encode_bucket<float>({z, first, plain, plain_into.data(), step}, code, key);
        encode_fast({z, first, fast, fast_into.data(), step}, code, key);
        encode_fast({z, first, unapplied, nullptr, step}, code, key);
        REQUIRE(fast == plain);
        REQUIRE(unapplied == plain);
        REQUIRE(std::memcmp(fast_into.data(), plain_into.data(), z.size() * sizeof(float)) == 0);
        std::vector<std::int32_t> codes(z.size());
        dither_codes_fast(z, first, step, code, key, codes);
        for (std::size_t i = 0; i < z.size(); ++i) REQUIRE(codes[i] == read_code(plain, code, i));
        accumulate_bucket<float>(plain, code, step.step, -0.7f, plain_into);
        accumulate_bucket_fast(fast, code, step.step, -0.7f, fast_into);
        REQUIRE(std::memcmp(fast_into.data(), plain_into.data(), z.size() * sizeof(float)) == 0);
      }
    }
  });
  MESSAGE("instruction sets compared: ", targets);
  CHECK(targets >= 2);
}

TEST_CASE("dither: rounding to integers agrees between instruction sets at every tie") {
  // z * gain is an integer or a half on the 2^-24 grid: on these, ways of rounding differ.
  const DitherCode code(LevelSet::uniform(127));
  std::vector<float> z{127.0f};
  for (int i = 0; i < 400; ++i) {
    z.push_back(static_cast<float>(i) * 0x1p-25f);
    z.push_back(-z.back());
    z.push_back(static_cast<float>(0x7FFE00 + i) * 0x1p-25f);
    z.push_back(-z.back());
  }
  const auto step = dither_step<float>(127.0, code);
  REQUIRE(step.gain == 0x1p24f);
  std::vector<std::byte> plain(code.bytes(z.size()));
  encode_bucket<float>({z, 0, plain, nullptr, step}, code, {5, 6});
  on_every_target([&] {
    std::vector<std::byte> fast(plain.size());
    encode_fast({z, 0, fast, nullptr, step}, code, {5, 6});
    CHECK(fast == plain);
  });
}

TEST_CASE("dither: powers of two agree between instruction sets on both sides of every level") {
  for (const std::int32_t levels : {1, 2, 7, 100, 127}) {
    CAPTURE(levels);
    const DitherCode code(LevelSet::powers_of_two(levels));
    std::vector<float> z{1.0f, 0.0f, -0.0f, std::numeric_limits<float>::denorm_min()};
    for (std::int32_t j = 0; j <= levels; ++j) {
      const float level = std::ldexp(1.0f, j - levels);
      for (const float factor :
           {1.0f, 1.0f - 0x1p-24f, 1.0f + 0x1p-23f, 4.0f / 3.0f, 0x1.fffffep0f, 0x1.800001p-1f})
        z.push_back(std::min(level * factor, 1.0f) * (z.size() % 2 ? -1.0f : 1.0f));
    }
    for (const float norm : {1.0f, 1.5f, 0x1.fffffep127f, 0x1p-126f, 0x1.8p-130f}) {
      auto scaled = z;
      for (float& value : scaled) value *= norm;
      const auto step = dither_step<float>(static_cast<double>(norm), code);
      REQUIRE(step.step == norm);
      std::vector<std::byte> plain(code.bytes(z.size()));
      std::vector<float> plain_into(z.size(), 0.0f);
      encode_bucket<float>({scaled, 3, plain, plain_into.data(), step}, code, {5, 6});
      CHECK(plain_into[0] == norm);
      on_every_target([&] {
        std::vector<std::byte> fast(plain.size());
        std::vector<float> fast_into(z.size(), 0.0f);
        encode_fast({scaled, 3, fast, fast_into.data(), step}, code, {5, 6});
        CHECK(fast == plain);
        CHECK(std::memcmp(fast_into.data(), plain_into.data(), z.size() * sizeof(float)) == 0);
      });
    }
  }
}

TEST_CASE("dither: every instruction set finds a code out of range and an unused bit at every place") {
  on_every_target([] {
    for (const std::int32_t levels : {1, 2, 3, 5, 7, 11, 15, 20, 50, 90, 127}) {
      const DitherCode code(LevelSet::uniform(levels));
      for (std::size_t size : {1u, 2u, 3u, 5u, 64u, 131u, 259u}) {
        const std::vector<std::byte> zeros(code.bytes(size), std::byte{0});
        CHECK(bucket_valid_fast(zeros, code, size));
        // Codes in a stream have no unused places, only unused bits.
        const std::size_t places = has_planes(code.bits) ? zeros.size() * (8 / code.bits) : size;
        for (std::size_t bit = size * code.bits; !has_planes(code.bits) && bit < zeros.size() * 8; ++bit) {
          auto bytes = zeros;
          bytes[bit / 8] |= static_cast<std::byte>(1u << bit % 8);
          if (bucket_valid_fast(bytes, code, size)) FAIL("fast: bit " << bit << " of " << size << " codes");
        }
        for (std::size_t i = 0; i < places; ++i)
          for (std::int32_t q = -(1 << (code.bits - 1)); q < 1 << (code.bits - 1); ++q) {
            if (std::abs(q) < levels - 1 && q != 1) continue;
            auto bytes = zeros;
            write_code(bytes, code, i, q);
            const bool valid = i < size ? std::abs(q) <= levels : q == 0;
            if (bucket_valid_fast(bytes, code, size) != valid)
              FAIL("fast: code " << q << " at " << i << " of " << size);
            if (bucket_valid(bytes, code, size) != valid)
              FAIL("plain: code " << q << " at " << i << " of " << size);
          }
      }
    }
  });
}

TEST_CASE("dither: Inf and NaN are seen by every instruction set at every place") {
  on_every_target([] {
    auto z = gaussian<float>(150, 1);
    for (float& value : z) {
      const float good = value;
      for (const float bad :
           {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::quiet_NaN()}) {
        value = bad;
        REQUIRE(std::isnan(largest_magnitude(z)));
      }
      value = good;
    }
  });
}

TEST_CASE_TEMPLATE("dither: a bucket with NaN leaves all others as they are, wherever it stands in a batch",
                   Scalar, float, double) {
  const std::size_t size = 40;
  const std::size_t count = 50;
  const auto z = gaussian<Scalar>(size * count, 4);
  const std::string spelling = "dither(linf, bits=8, bucket=40)";
  const auto compressor = build<Scalar>(spelling, z.size());
  const auto message = [&](const std::vector<Scalar>& vector, std::vector<Scalar>& into) {
    PacketBuffer out = buffer();
    RandomStream random(2, 0, 1, Purpose::compression);
    compressor->encode_and_apply({vector, random}, out, into);
    return std::vector<std::byte>(out.bytes().begin(), out.bytes().end());
  };
  for (std::size_t bad : {0u, 1u, 15u, 16u, 30u, 49u}) {
    CAPTURE(bad);
    auto zeroed = z;
    std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(bad * size), size, Scalar(0));
    auto broken = z;
    broken[bad * size + 7] = std::numeric_limits<Scalar>::quiet_NaN();
    std::vector<Scalar> into(z.size(), Scalar(0));
    std::vector<Scalar> broken_into(z.size(), Scalar(0));
    auto expected = message(zeroed, into);
    const auto packet = message(broken, broken_into);
    CHECK(std::isnan(read_scalar<Scalar>(packet, bad)));
    write_scalar(std::span<std::byte>(expected), bad, read_scalar<Scalar>(packet, bad));
    CHECK(packet == expected);
    // The sender's own vector gets the buckets before the broken one, and none after it.
    std::fill(into.begin() + static_cast<std::ptrdiff_t>(bad * size), into.end(), Scalar(0));
    CHECK(broken_into == into);
  }
}

TEST_CASE("dither: codes of every width are written and read back") {
  for (unsigned bits = 2; bits <= 16; ++bits) {
    const DitherCode code(LevelSet::uniform((1 << (bits - 1)) - 1));
    REQUIRE(code.bits == bits);
    RandomStream random(bits, 0, 0, Purpose::data);
    for (std::size_t size : {1u, 2u, 3u, 7u, 8u, 9u, 100u}) {
      std::vector<std::byte> bytes(code.bytes(size), std::byte{0});
      std::vector<std::int32_t> codes(size);
      for (std::size_t i = 0; i < size; ++i) {
        codes[i] = static_cast<std::int32_t>(random.below(2u * static_cast<unsigned>(code.levels) + 1)) -
                   code.levels;
        write_code(bytes, code, i, codes[i]);
      }
      for (std::size_t i = 0; i < size; ++i) REQUIRE(read_code(bytes, code, i) == codes[i]);
      CHECK(bucket_valid(bytes, code, size));
    }
  }
}

TEST_CASE_TEMPLATE("dither: a coordinate goes up exactly when its random bits reach 1 - p", Scalar, float,
                   double) {
  const auto z = gaussian<Scalar>(2000, 12);
  for (const std::string spelling :
       {"dither(linf, levels=7, bucket=500)", "dither(l2, levels=127, bucket=64)",
        "dither(linf, pow2, levels=9, bucket=500)", "dither(l2, levels={0.01,0.02,0.3,1}, bucket=64)"}) {
    const auto brackets = brackets_of(spelling, z);
    RandomStream random(9, 4, 17, Purpose::compression);
    const auto value = decoded(spelling, z, random);
    const ElementKey key = random.element_key();
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double u = (element_bits(key, static_cast<std::uint32_t>(i)) >> 8) * 0x1p-24;
      const double expected = u + brackets[i].probability_up >= 1.0 ? brackets[i].high : brackets[i].low;
      REQUIRE(static_cast<double>(value[i]) == expected);
    }
  }
}

TEST_CASE_TEMPLATE("dither: linf sends the largest coordinate without noise", Scalar, float, double) {
  for (const std::string levels : {"1", "3", "7", "127", "5000", "32767"})
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      auto z = gaussian<Scalar>(40, seed);
      const auto largest =
          std::max_element(z.begin(), z.end(), [](Scalar a, Scalar b) { return std::abs(a) < std::abs(b); });
      const auto at = static_cast<std::size_t>(largest - z.begin());
      const Bracket bracket = brackets_of("dither(linf, levels=" + levels + ")", z)[at];
      const double exact = static_cast<double>(z[at]);
      REQUIRE((bracket.probability_up == 0.0 || bracket.low == bracket.high));
      REQUIRE(std::abs(bracket.low - exact) <= 2 * std::numeric_limits<Scalar>::epsilon() * std::abs(exact));
      if (levels == "1") REQUIRE(bracket.low == exact);
    }
}

TEST_CASE_TEMPLATE("dither: with one level the second moment is a product of norms", Scalar, float, double) {
  // E ||C(z)||^2 = ||z||_1 ||z||_2 (QSGD) and ||z||_inf ||z||_1 (TernGrad), exactly.
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const auto z = gaussian<Scalar>(300, seed);
    const double squared = squared_norm<Scalar>(z);
    const auto largest = static_cast<double>(std::abs(
        *std::max_element(z.begin(), z.end(), [](Scalar a, Scalar b) { return std::abs(a) < std::abs(b); })));
    CHECK(squared + variance_of(brackets_of("dither(l2, levels=1, bucket=whole)", z)) ==
          doctest::Approx(norm_1(z) * std::sqrt(squared)).epsilon(1e-5));
    CHECK(squared + variance_of(brackets_of("terngrad(bucket=whole)", z)) ==
          doctest::Approx(norm_1(z) * largest).epsilon(1e-5));
  }
}

TEST_CASE("dither: the worst-case omega is below the published one and meets the reference table") {
  for (std::size_t n : {2u, 10u, 64u, 256u, 512u, 4096u, 1'000'000u})
    for (int s : {1, 2, 3, 7, 15, 127, 32767}) {
      const double d = static_cast<double>(n);
      const double published = std::min(d / (double(s) * s), std::sqrt(d) / s);
      const LevelSet levels = LevelSet::uniform(s);
      CHECK(dither_worst_omega(DitherNorm::l2, n, levels) <= published * (1 + 1e-12));
      CHECK(dither_worst_omega(DitherNorm::linf, n, levels) <= dither_worst_omega(DitherNorm::l2, n, levels));
    }
  const auto l2 = [](std::size_t n, int s) {
    return dither_worst_omega(DitherNorm::l2, n, LevelSet::uniform(s));
  };
  const auto linf = [](std::size_t n, int s) {
    return dither_worst_omega(DitherNorm::linf, n, LevelSet::uniform(s));
  };
  CHECK(l2(64, 1) == doctest::Approx(7.0));
  CHECK(linf(64, 1) == doctest::Approx(3.5));
  CHECK(l2(512, 3) == doctest::Approx(6.54).epsilon(2e-3));
  CHECK(linf(512, 3) == doctest::Approx(3.30).epsilon(2e-3));
  CHECK(l2(512, 7) == doctest::Approx(2.23).epsilon(2e-3));
  CHECK(linf(512, 7) == doctest::Approx(1.19).epsilon(5e-3));
  CHECK(l2(4096, 15) == doctest::Approx(3.27).epsilon(2e-3));
  CHECK(linf(4096, 15) == doctest::Approx(1.69).epsilon(5e-3));
}

TEST_CASE("dither: the worst case is attained by one large and many equal small coordinates") {
  // s = 1, n = 257. linf: (sqrt(n) - 1) / 2, attained with small coordinates of 1 / (1 + sqrt(n)). l2:
  // sqrt(n) - 1, attained with all coordinates equal.
  const std::size_t n = 257;
  std::vector<double> z(n, 1.0 / (1.0 + std::sqrt(double(n))));
  z[100] = 1.0;
  const auto ratio = [](const std::string& spelling, const std::vector<double>& vector) {
    return variance_of(brackets_of(spelling, vector)) / squared_norm<double>(vector);
  };
  CHECK(ratio("dither(linf, levels=1, bucket=whole)", z) ==
        doctest::Approx(dither_worst_omega(DitherNorm::linf, n, LevelSet::uniform(1))).epsilon(1e-6));
  CHECK(ratio("dither(l2, levels=1, bucket=whole)", std::vector<double>(n, 0.7)) ==
        doctest::Approx(dither_worst_omega(DitherNorm::l2, n, LevelSet::uniform(1))).epsilon(1e-6));
}

TEST_CASE("dither: the omega of Gaussian data is that of Gaussian vectors") {
  struct Case {
    DitherNorm norm;
    std::size_t n;
    int s;
    int buckets;
  };
  for (const Case& c : {Case{DitherNorm::linf, 512, 7, 100},
                        {DitherNorm::linf, 512, 1, 400},
                        {DitherNorm::linf, 8, 3, 6000},
                        {DitherNorm::l2, 512, 7, 100},
                        {DitherNorm::l2, 512, 1, 100},
                        {DitherNorm::l2, 3, 2, 20000},
                        {DitherNorm::linf, 512, 600, 20},
                        {DitherNorm::l2, 4096, 127, 10}}) {
    CAPTURE(c.n);
    CAPTURE(c.s);
    const auto z = gaussian<double>(c.n * static_cast<std::size_t>(c.buckets), 31);
    const std::string norm = c.norm == DitherNorm::l2 ? "l2" : "linf";
    const auto brackets = brackets_of(
        "dither(" + norm + ", levels=" + std::to_string(c.s) + ", bucket=" + std::to_string(c.n) + ")", z);
    CHECK(variance_of(brackets) / squared_norm<double>(z) ==
          doctest::Approx(dither_gaussian_omega(c.norm, c.n, LevelSet::uniform(c.s))).epsilon(0.03));
  }
  // Figures that were known before this code was written.
  CHECK(dither_gaussian_omega(DitherNorm::linf, 512, LevelSet::uniform(7)) ==
        doctest::Approx(0.037).epsilon(0.03));
  CHECK(dither_gaussian_omega(DitherNorm::l2, 512, LevelSet::uniform(7)) ==
        doctest::Approx(1.59).epsilon(0.02));
  CHECK(dither_gaussian_omega(DitherNorm::linf, 512, LevelSet::uniform(1)) ==
        doctest::Approx(1.58).epsilon(0.02));
  CHECK(dither_gaussian_omega(DitherNorm::l2, 512, LevelSet::uniform(1)) ==
        doctest::Approx(17.1).epsilon(0.02));
}

TEST_CASE("dither: rounding errors of different iterations, peers and seeds are uncorrelated") {
  const std::size_t n = 40'000;
  const auto z = gaussian<float>(n, 8);
  const std::string spelling = "dither(linf, levels=7, bucket=512)";
  std::vector<std::vector<float>> errors;
  for (const auto& [seed, peer, iteration] : {std::array<std::uint64_t, 3>{1, 0, 1},
                                              {1, 0, 2},
                                              {1, 0, 3},
                                              {1, 1, 1},
                                              {1, 2, 1},
                                              {2, 0, 1},
                                              {3, 0, 1},
                                              {1, 0, 1ull << 32}}) {
    auto error = decoded(spelling, z, {seed, static_cast<PeerId>(peer), iteration, Purpose::compression});
    for (std::size_t i = 0; i < n; ++i) error[i] -= z[i];
    errors.push_back(std::move(error));
  }
  const auto correlation = [&](const std::vector<float>& a, const std::vector<float>& b, std::size_t shift) {
    const std::span<const float> left(a.data(), n - shift);
    const std::span<const float> right(b.data() + shift, n - shift);
    return dot(left, right) / std::sqrt(squared_norm(left) * squared_norm(right));
  };
  // If errors are independent, a correlation is normal with standard deviation 1/sqrt(n). The bound for 28
  // pairs at three shifts is 5 of these: it is exceeded by chance once in 20,000 seeds, and the seeds are
  // fixed.
  const double bound = 5.0 / std::sqrt(static_cast<double>(n));
  for (std::size_t a = 0; a < errors.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t shift : {0u, 1u, 512u})
        CHECK(std::abs(correlation(errors[a], errors[b], shift)) < bound);
  for (std::size_t shift : {1u, 2u, 512u, 4096u})
    CHECK(std::abs(correlation(errors[0], errors[0], shift)) < bound);
}

}  // namespace hearsay::test::dither_test
