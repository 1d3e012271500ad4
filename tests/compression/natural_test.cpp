#include "algorithms/compression/quantizers/natural.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstring>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/quantizers/natural_kernels.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::natural_test {

namespace {

float float_of(std::uint32_t exponent_field, std::uint32_t fraction) {
  return std::bit_cast<float>(exponent_field << 23 | fraction);
}

template <class Scalar>
CodecStatus status_of(const std::string& spelling, const std::vector<Scalar>& z) {
  const auto compressor = make_compressor<Scalar>(spelling, {});
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 1, Purpose::compression);
  const CodecStatus status = compressor->encode({z, random}, out);
  std::vector<Scalar> into(z.size(), Scalar(7));
  const CodecStatus decoded = compressor->accumulate(out.bytes(), Scalar(1), into);
  CHECK(decoded == (status == CodecStatus::ok ? CodecStatus::ok : CodecStatus::not_finite));
  if (status != CodecStatus::ok) CHECK(into == std::vector<Scalar>(z.size(), Scalar(7)));
  return status;
}

/// n floats of all exponents and both signs, with zeros and both ends of the range, none above the largest
/// power of two that has a code.
std::vector<float> floats_of_all_sizes(const NaturalCode<float>& code, std::size_t n) {
  RandomStream random(n, 0, 0, Purpose::data);
  std::vector<float> all{0.0f,       -0.0f,        std::bit_cast<float>(code.largest()),
                         -0x1p-109f, -0x1.8p-110f, 0x1p-149f};
  while (all.size() < n) {
    const std::uint32_t word = random.bits();
    if ((word & 0x7FFFFFFF) <= code.largest()) all.push_back(std::bit_cast<float>(word));
  }
  all.resize(n);
  return all;
}

}  // namespace

TEST_CASE(
    "natural: for every mantissa the mean is the input exactly, the second moment at most 9/8 of its "
    "square") {
  const NaturalCode<float> code(false);
  for (const std::uint32_t exponent : {1u, 126u, 127u, 253u}) {
    double worst = 0.0;
    const double low = static_cast<double>(float_of(exponent, 0));
    for (std::uint32_t fraction = 0; fraction < 1u << 23; ++fraction) {
      const float z = float_of(exponent, fraction);
      const auto low_code = static_cast<std::int32_t>(exponent);
      // `fraction` of the 2^23 draws must round up: tests the last draw that does not, and the first that
      // does.
      const std::uint32_t first_up = (1u << 23) - fraction;
      bool exact = code.encode(z, (first_up - 1) << 9 | 0x1FF) == low_code && code.encode(z, 0) == low_code;
      if (fraction > 0)
        exact = exact && code.encode(z, first_up << 9) == low_code + 1 && code.encode(z, ~0u) == low_code + 1;
      const double up = static_cast<double>(fraction) * 0x1p-23;
      const double mean = low + up * low;
      const double second_moment = low * low * (1.0 + 3.0 * up);
      const double square = static_cast<double>(z) * static_cast<double>(z);
      worst = std::max(worst, second_moment / square);
      if (!exact || mean != static_cast<double>(z) || second_moment > 1.125 * square)
        FAIL("fraction " << fraction);
      const Bracket bracket = code.bracket(z);
      if (bracket.low != low || bracket.probability_up != up || (fraction > 0 && bracket.high != 2 * low))
        FAIL("the bracket of fraction " << fraction);
    }
    CHECK(worst > 1.125 - 1e-13);  // at 4/3
  }
}

TEST_CASE("natural: what is subnormal goes to 0 or the smallest power and stays unbiased") {
  const NaturalCode<float> code(false);
  for (const std::uint32_t fraction : {1u, 2u, 12345u, (1u << 23) - 1}) {
    const float z = float_of(0, fraction);
    const Bracket bracket = code.bracket(-z);
    CHECK(bracket.low == -0x1p-126);
    CHECK(bracket.high == 0.0);
    CHECK(bracket.mean() == static_cast<double>(-z));
    CHECK(code.encode(z, ((1u << 23) - fraction) << 9) == 1);
    CHECK(code.encode(z, (((1u << 23) - fraction) << 9) - 1) == 0);
  }
}

TEST_CASE_TEMPLATE("natural: powers of two, zeros and signs stay what they are, whatever is drawn", Scalar,
                   float, double) {
  for (const bool windowed : {false, true}) {
    const NaturalCode<Scalar> code(windowed);
    for (std::int32_t k = 0; k < 1 << code.bits(); ++k) {
      if (!code.is_number(k)) continue;
      const Scalar value = code.decode(k);
      CHECK(code.status(magnitude(value)) == CodecStatus::ok);
      for (const std::uint32_t random : {0u, 0x12345678u, ~0u}) CHECK(code.encode(value, random) == k);
    }
  }
  CHECK(
      std::signbit(NaturalCode<Scalar>(false).decode(NaturalCode<Scalar>(false).encode(Scalar(-0.0), ~0u))));
  CHECK_FALSE(
      std::signbit(NaturalCode<Scalar>(true).decode(NaturalCode<Scalar>(true).encode(Scalar(-0.0), ~0u))));
}

TEST_CASE_TEMPLATE(
    "natural: the window holds the powers from 2^-109 to 2^17 and rounds what is below without bias", Scalar,
    float, double) {
  const NaturalCode<Scalar> code(true);
  CHECK(code.decode(1) == std::ldexp(Scalar(1), -109));
  CHECK(code.decode(127) == Scalar(131072));
  CHECK(code.decode(128 + 110) == Scalar(-1));
  for (const double share : {1e-6, 0.1, 0.25, 0.7, 1.0 - 1e-7}) {
    const auto z = static_cast<Scalar>(-share * 0x1p-109);
    const Bracket bracket = code.bracket(z);
    CHECK(bracket.low == -0x1p-109);
    CHECK(bracket.high == 0.0);
    CHECK(std::abs(bracket.mean() - static_cast<double>(z)) <= 0x1p-133);
    // encode agrees with the bracket: it starts to round up at the draw 1 - p.
    const auto turn = static_cast<std::uint32_t>(bracket.probability_up * 0x1p32);
    CHECK(code.encode(z, turn > 0x200 ? turn - 0x200 : 0) == code.encode(z, 0));
    CHECK(code.encode(-z, ~0u) == 1);
    CHECK(code.encode(-z, 0) == 0);
  }
}

TEST_CASE("natural: what has no upper neighbor is saturated and decodes as no number") {
  for (const float sign : {1.0f, -1.0f})
    for (const std::size_t n : {1u, 20u, 5000u})
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        auto z = gaussian<float>(n, 3);
        z[at] = sign * 0x1p127f;
        CHECK(status_of("natural", z) == CodecStatus::ok);
        CHECK(status_of("natural(bits=8)", z) == CodecStatus::saturated);
        z[at] = sign * std::nextafter(0x1p127f, HUGE_VALF);
        CHECK(status_of("natural", z) == CodecStatus::saturated);
        z[at] = sign * 0x1p17f;
        CHECK(status_of("natural(bits=8)", z) == CodecStatus::ok);
        z[at] = sign * std::nextafter(0x1p17f, HUGE_VALF);
        CHECK(status_of("natural(bits=8)", z) == CodecStatus::saturated);
        CHECK(status_of("natural | raw", z) == CodecStatus::ok);
      }
  CHECK(status_of<double>("natural", {0x1p1023}) == CodecStatus::ok);
  CHECK(status_of<double>("natural", {-0x1.0000000000001p1023}) == CodecStatus::saturated);
  CHECK(status_of<double>("natural(bits=8)", {0x1.0000000000001p17}) == CodecStatus::saturated);
}

TEST_CASE("natural: the kernels equal the plain arithmetic bit for bit on every instruction set") {
  const int targets = on_every_target([] {
    for (const bool windowed : {false, true}) {
      const NaturalCode<float> code(windowed);
      CAPTURE(windowed);
      for (const std::size_t n : {1u, 2u, 6u, 15u, 16u, 17u, 31u, 48u, 129u, 5000u}) {
        CAPTURE(n);
        const auto z = floats_of_all_sizes(code, n);
        const ElementKey key{0x1234567u + static_cast<std::uint32_t>(n), 0x89abcdefu};
        const std::uint32_t first = 4'294'967'000u;
        std::vector<std::byte> codes(n);
        std::vector<std::byte> signs((n + 7) / 8, std::byte{0xAA});
        std::uint32_t largest = 0;
        for (const float value : z) largest = std::max(largest, magnitude(value));
        REQUIRE(natural_encode_fast(z, code, key, first, codes.data(), windowed ? nullptr : signs.data()) ==
                largest);
        std::vector<std::byte> plain_codes(n);
        std::vector<std::byte> plain_signs(signs.size(), windowed ? std::byte{0xAA} : std::byte{0});
        const auto start = floats_of_all_sizes(NaturalCode<float>(true), n);
        auto plain_into = start;
        for (std::size_t i = 0; i < n; ++i) {
          const std::int32_t q = code.encode(z[i], element_bits(key, first + static_cast<std::uint32_t>(i)));
          plain_codes[i] = static_cast<std::byte>(q);
          if (!windowed) plain_signs[i / 8] |= static_cast<std::byte>(q >> 8 << (i % 8));
          plain_into[i] += -0.7f * code.decode(q);
        }
        REQUIRE(codes == plain_codes);
        REQUIRE(signs == plain_signs);
        auto into = start;
        natural_accumulate_fast(codes.data(), signs.data(), code, -0.7f, into);
        REQUIRE(std::memcmp(into.data(), plain_into.data(), n * sizeof(float)) == 0);
        for (const float bad :
             {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::quiet_NaN()}) {
          auto broken = z;
          broken[n / 2] = bad;
          const auto found =
              natural_encode_fast(broken, code, key, first, codes.data(), windowed ? nullptr : signs.data());
          REQUIRE(code.status(found) == CodecStatus::not_finite);
        }
      }
    }
  });
  CHECK(targets >= 2);
}

TEST_CASE("natural: the message is a byte of exponent for each float, then the signs") {
  const auto compressor = make_compressor<float>("natural", {});
  const std::vector<float> z{1.0f, -2.0f, 0.0f, 0.5f, -0.0f, 4.0f, 8.0f, 16.0f, -32.0f};
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 1, Purpose::compression);
  REQUIRE(compressor->encode({z, random}, out) == CodecStatus::ok);
  std::vector<unsigned> bytes;
  for (const std::byte byte : out.bytes()) bytes.push_back(std::to_integer<unsigned>(byte));
  CHECK(bytes == std::vector<unsigned>{127, 128, 0, 126, 0, 129, 130, 131, 132, 0b10010, 1});
  CHECK(compressor->traits(1000).bytes == 1125);
  CHECK(make_compressor<double>("natural", {})->traits(1000).bytes == 1500);
  CHECK(make_compressor<float>("natural(bits=8)", {})->traits(1000).bytes == 1000);
}

TEST_CASE_TEMPLATE("natural: the omega of Gaussian data is that of Gaussian vectors", Scalar, float, double) {
  const auto z = gaussian<Scalar>(200'000, 3);
  for (const std::string spelling : {"natural", "natural(bits=8)"}) {
    const auto compressor = make_compressor<Scalar>(spelling, {});
    double variance = 0.0;
    for (const Bracket& bracket : dynamic_cast<RoundingCompressor<Scalar>&>(*compressor).brackets(z))
      variance += bracket.variance();
    CHECK(variance / squared_norm<Scalar>(z) ==
          doctest::Approx(compressor->traits(z.size()).omega_typical).epsilon(0.01));
  }
}

TEST_CASE("natural: 8 bits or none are spelled, anything else is refused") {
  for (const char* wrong : {"natural(9)", "natural(bits=7)", "natural(bits=0)", "natural(window)"})
    CHECK_THROWS_WITH_AS(make_compressor<float>(wrong, {}), doctest::Contains("expected 8, or no bits"),
                         Misuse);
}

}  // namespace hearsay::test::natural_test
