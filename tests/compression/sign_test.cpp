#include "algorithms/compression/quantizers/sign.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/quantizers/mean_magnitude.hpp"
#include "algorithms/compression/quantizers/sign_kernels.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::sign_test {

TEST_CASE_TEMPLATE("sign: what is lost is the published share of the square, exactly", Scalar, float,
                   double) {
  // ||C(z) - z||^2 = ||z||^2 - ||z||_1^2 / n.
  for (const std::size_t n : {1u, 2u, 17u, 1000u})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto z = gaussian<Scalar>(n, seed);
      const auto value = decoded("sign(whole)", z);
      const double lost = squared_distance<Scalar>(value, z);
      const double norm = norm_1<Scalar>(z);
      const double square = squared_norm<Scalar>(z);
      CHECK(std::abs(lost - (square - norm * norm / static_cast<double>(n))) <= 1e-6 * square);
    }
}

TEST_CASE_TEMPLATE("sign: the contraction is 1/n where one coordinate is not zero, and 1 where all are alike",
                   Scalar, float, double) {
  std::vector<Scalar> z(100, Scalar(0));
  z[40] = Scalar(-5);
  CHECK(squared_distance<Scalar>(decoded("sign(whole)", z), z) == doctest::Approx(25.0 * (1.0 - 0.01)));
  CHECK(*make_compressor<Scalar>("sign(whole)", {})->traits(100).contraction == 0.01);
  CHECK(*make_compressor<Scalar>("sign(40)", {})->traits(100).contraction == 1.0 / 40);
  CHECK(*build<Scalar>("sign", 100)->traits(100).contraction == 1.0 / 50);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = Scalar(i % 3 ? 0.75 : -0.75);
  CHECK(decoded("sign(whole)", z) == z);
}

TEST_CASE_TEMPLATE("sign: the sign of zero is plus, of the negative zero too", Scalar, float, double) {
  const std::vector<Scalar> z{Scalar(0), Scalar(-0.0), Scalar(-3), Scalar(1)};
  CHECK(decoded("sign(whole)", z) == std::vector<Scalar>{1, 1, -1, 1});
}

TEST_CASE("sign: the message is the scales, then a bit for each coordinate") {
  const auto compressor = make_compressor<float>("sign(bucket=9)", {});
  std::vector<float> z(11, 2.0f);
  z[0] = z[3] = z[8] = z[10] = -2.0f;
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 1, Purpose::compression);
  REQUIRE(compressor->encode({z, random}, out) == CodecStatus::ok);
  std::vector<unsigned> bytes;
  for (const std::byte byte : out.bytes()) bytes.push_back(std::to_integer<unsigned>(byte));
  CHECK(bytes == std::vector<unsigned>{0, 0, 0, 0x40, 0, 0, 0, 0x40, 0b1001, 1, 0b10});
  CHECK(compressor->traits(11).bytes == 11);
  CHECK(make_compressor<float>("sign", {})->traits(8000).bytes == 1004);
}

TEST_CASE("sign: the kernels equal the plain arithmetic bit for bit on every instruction set") {
  const int targets = on_every_target([] {
    for (auto z : adversarial_vectors<float>()) {
      CAPTURE(z.size());
      if (!z.empty()) z[z.size() / 3] = -0.0f;
      std::vector<std::byte> signs((z.size() + 7) / 8, std::byte{0xAA});
      const double norm = sign_encode_fast(z, signs);
      REQUIRE(norm == norm_1<float>(z));
      auto into = gaussian<float>(z.size(), 4);
      auto plain_into = into;
      sign_accumulate_fast(signs, 0.3f, -0.7f, into);
      for (std::size_t i = 0; i < z.size(); ++i) {
        const bool minus = std::to_integer<unsigned>(signs[i / 8]) >> (i % 8) & 1;
        REQUIRE(minus == (z[i] < 0.0f));
        plain_into[i] += -0.7f * (z[i] < 0.0f ? -0.3f : 0.3f);
      }
      REQUIRE((z.empty() || std::memcmp(into.data(), plain_into.data(), z.size() * sizeof(float)) == 0));
      if (z.size() % 8) REQUIRE((std::to_integer<unsigned>(signs.back()) >> (z.size() % 8)) == 0);
      for (const float bad :
           {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::quiet_NaN()}) {
        if (z.empty()) continue;
        z[z.size() / 2] = bad;
        REQUIRE_FALSE(std::isfinite(sign_encode_fast(z, signs)));
      }
    }
  });
  CHECK(targets >= 2);
}

TEST_CASE("sign: the mean magnitude of doubles is finite where their sum is not") {
  const double most = std::numeric_limits<double>::max();
  CHECK(mean_magnitude<double>(std::vector<double>(1000, -most), 1000) == doctest::Approx(most));
  CHECK(std::isfinite(mean_magnitude<double>(std::vector<double>(7, most), 7)));
  CHECK(std::isnan(mean_magnitude<double>(std::vector<double>{most, most, HUGE_VAL}, 3)));
  CHECK(decoded<double>("sign(whole)", {most, -most}) == std::vector<double>{most, -most});
}

}  // namespace hearsay::test::sign_test
