// Laws that every registered compressor obeys, in float and in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/rate_distortion.hpp"
#include "algorithms/compression/seam/bracket.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::compressor_laws_test {

namespace {

RandomStream stream(std::uint64_t iteration = 1, PeerId peer = 0) {
  return {20, peer, iteration, Purpose::compression};
}

template <class Scalar>
bool same_bits(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0);
}

template <class Scalar>
std::vector<std::byte> encoded(Compressor<Scalar>& compressor, const std::vector<Scalar>& z,
                               CodecStatus expected, RandomStream random = stream()) {
  PacketBuffer out = buffer();
  CHECK(compressor.encode({z, random}, out) == expected);
  const auto bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

template <class Scalar>
std::vector<Scalar> decoded(Compressor<Scalar>& compressor, std::span<const std::byte> packet,
                            std::size_t d) {
  std::vector<Scalar> into(d, Scalar(0));
  CHECK(compressor.accumulate(packet, Scalar(1), into) == CodecStatus::ok);
  return into;
}

/// How far the mean may be off near 0, as the headers of these formats say: they have fewer exponents than
/// Scalar.
double underflow(const std::string& spelling) {
  return spelling.starts_with("natural(") || spelling.starts_with("bf16") ? 0x1p-133 : 0.0;
}

}  // namespace

TEST_CASE_TEMPLATE("compressors: what the sender applies is what a holder decodes, bit for bit", Scalar,
                   float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (const auto& z : adversarial_vectors<Scalar>()) {
      CAPTURE(z.size());
      const auto compressor = build<Scalar>(spelling, z.size());
      PacketBuffer applied_packet = buffer();
      std::vector<Scalar> start = gaussian<Scalar>(z.size(), 77);
      std::vector<Scalar> applied = start;
      RandomStream random = stream();
      const CodecStatus status = compressor->encode_and_apply({z, random}, applied_packet, applied);
      const auto packet = encoded(*compressor, z, status);
      const auto bytes = applied_packet.bytes();
      CHECK(std::equal(bytes.begin(), bytes.end(), packet.begin(), packet.end()));
      if (status != CodecStatus::ok) {
        CHECK(status == CodecStatus::saturated);
        continue;
      }
      std::vector<Scalar> held = start;
      CHECK(compressor->accumulate(packet, Scalar(1), held) == CodecStatus::ok);
      CHECK(same_bits(applied, held));
      // A scale multiplies the decoded value, which is then added.
      const auto value = decoded(*compressor, packet, z.size());
      std::vector<Scalar> scaled = start;
      CHECK(compressor->accumulate(packet, Scalar(-0.3), scaled) == CodecStatus::ok);
      std::vector<Scalar> expected = start;
      for (std::size_t i = 0; i < z.size(); ++i) expected[i] += Scalar(-0.3) * value[i];
      CHECK(scaled == expected);
    }
  }
}

TEST_CASE_TEMPLATE("compressors: the stated bytes are exact, or a bound where the size depends on the data",
                   Scalar, float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (const auto& z : adversarial_vectors<Scalar>()) {
      const auto compressor = build<Scalar>(spelling, z.size());
      const Traits traits = compressor->traits(z.size());
      PacketBuffer out = buffer();
      RandomStream random = stream();
      compressor->encode({z, random}, out);
      if (traits.data_dependent_size)
        CHECK(out.bytes().size() <= traits.bytes);
      else
        CHECK(out.bytes().size() == traits.bytes);
    }
  }
}

TEST_CASE("compressors: none claims an error that its bits cannot buy") {
  const auto line = [](double omega) {
    Traits traits;
    traits.unbiased = true;
    traits.omega = omega;
    return least_bits_per_coordinate(traits);
  };
  CHECK(*line(1.0 / 8) == doctest::Approx(1.585).epsilon(1e-3));
  CHECK(*line(2.0) == doctest::Approx(0.292).epsilon(2e-3));
  CHECK_FALSE(line(0.0));
  CHECK_FALSE(least_bits_per_coordinate({}));
  int judged = 0;
  for (const std::string& spelling : spellings())
    for (const std::size_t d : {10u, 100u, 5000u}) {
      CAPTURE(spelling);
      const Traits traits = build<double>(spelling, d)->traits(d);
      const auto least = least_bits_per_coordinate(traits);
      if (!least) continue;
      ++judged;
      CHECK(8.0 * static_cast<double>(traits.bytes) / static_cast<double>(d) >= *least);
    }
  CHECK(judged > 40);
}

TEST_CASE_TEMPLATE("compressors: zero in, zero out", Scalar, float, double) {
  for (const std::string& spelling : spellings())
    for (std::size_t d : {1u, 5u, 600u}) {
      CAPTURE(spelling);
      const auto compressor = build<Scalar>(spelling, d);
      const std::vector<Scalar> zero(d, Scalar(0));
      const auto value = decoded(*compressor, encoded(*compressor, zero, CodecStatus::ok), d);
      CHECK(std::all_of(value.begin(), value.end(), [](Scalar entry) { return entry == Scalar(0); }));
    }
}

TEST_CASE_TEMPLATE("compressors: Inf and NaN are reported, and the packet never decodes as numbers", Scalar,
                   float, double) {
  using Limits = std::numeric_limits<Scalar>;
  for (const std::string& spelling : spellings())
    for (std::size_t d : {1u, 2u, 65u, 700u})
      for (const Scalar bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
        for (std::size_t at : {std::size_t{0}, d / 2, d - 1}) {
          CAPTURE(spelling);
          CAPTURE(d);
          CAPTURE(at);
          const auto compressor = build<Scalar>(spelling, d);
          auto z = gaussian<Scalar>(d, 5);
          z[at] = bad;
          const auto packet = encoded(*compressor, z, CodecStatus::not_finite);
          auto into = gaussian<Scalar>(d, 6);
          const auto before = into;
          CHECK(compressor->accumulate(packet, Scalar(1), into) == CodecStatus::not_finite);
          CHECK(same_bits(into, before));
          PacketBuffer out = buffer();
          RandomStream random = stream();
          CHECK(compressor->encode_and_apply({z, random}, out, into) == CodecStatus::not_finite);
        }
}

TEST_CASE_TEMPLATE("compressors: decoding is total: truncations, extensions, bit flips, noise", Scalar, float,
                   double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (std::size_t d : {0u, 1u, 3u, 37u}) {
      CAPTURE(d);
      const auto compressor = build<Scalar>(spelling, d);
      const auto z = gaussian<Scalar>(d, 9);
      auto packet = encoded(*compressor, z, CodecStatus::ok);
      const auto start = gaussian<Scalar>(d, 10);
      auto into = start;

      for (std::size_t size = 0; size < packet.size(); ++size) {
        // A copy of exactly this size, so that the address sanitizer sees a read past its end.
        const std::vector<std::byte> cut(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
        REQUIRE(compressor->accumulate(cut, Scalar(1), into) == CodecStatus::malformed);
        REQUIRE(same_bits(into, start));
      }
      auto longer = packet;
      longer.push_back(std::byte{0});
      CHECK(compressor->accumulate(longer, Scalar(1), into) == CodecStatus::malformed);
      CHECK(same_bits(into, start));

      for (std::size_t bit = 0; bit < packet.size() * 8; ++bit) {
        packet[bit / 8] ^= std::byte{1} << (bit % 8);
        const CodecStatus status = compressor->accumulate(packet, Scalar(1), into);
        const bool refused = status == CodecStatus::malformed || status == CodecStatus::not_finite;
        if (refused ? !same_bits(into, start) : status != CodecStatus::ok || !all_finite<Scalar>(into))
          FAIL("bit " << bit << " gives status " << static_cast<int>(status));
        if (!refused) into = start;
        packet[bit / 8] ^= std::byte{1} << (bit % 8);
      }

      RandomStream noise(3, 0, d, Purpose::data);
      for (int round = 0; round < 50; ++round) {
        std::vector<std::byte> random_bytes(round % 2 ? packet.size() : noise.below(2 * packet.size() + 20));
        for (std::byte& byte : random_bytes) byte = static_cast<std::byte>(noise.bits());
        into = start;
        if (compressor->accumulate(random_bytes, Scalar(1), into) != CodecStatus::ok)
          REQUIRE(same_bits(into, start));
      }
    }
  }
}

TEST_CASE_TEMPLATE("compressors: a message of another dimension is malformed", Scalar, float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const auto compressor = make_compressor<Scalar>(spelling, {});
    const auto packet = encoded(*compressor, gaussian<Scalar>(500, 1), CodecStatus::ok);
    for (std::size_t d : {0u, 1u, 250u, 1000u, 5000u}) {
      std::vector<Scalar> into(d, Scalar(2));
      const bool same_size = compressor->traits(d).bytes == packet.size();
      if (!same_size) CHECK(compressor->accumulate(packet, Scalar(1), into) == CodecStatus::malformed);
    }
  }
}

TEST_CASE_TEMPLATE("compressors: how much of a stream a message draws depends on no coordinate", Scalar,
                   float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const std::size_t d = 1030;
    const auto left_by = [&](const std::vector<Scalar>& z) {
      PacketBuffer out = buffer();
      RandomStream random(1, 0, 1, Purpose::compression);
      CHECK(build<Scalar>(spelling, d)->encode({z, random}, out) == CodecStatus::ok);
      return random.normal();
    };
    CHECK(left_by(gaussian<Scalar>(d, 2)) == left_by(std::vector<Scalar>(d)));
  }
}

TEST_CASE_TEMPLATE("compressors: a message may lie at any address", Scalar, float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const std::size_t d = 1030;
    const auto compressor = build<Scalar>(spelling, d);
    const auto packet = encoded(*compressor, gaussian<Scalar>(d, 2), CodecStatus::ok);
    const auto value = decoded(*compressor, packet, d);
    for (std::size_t shift : {1u, 2u, 3u, 5u, 7u}) {
      std::vector<std::byte> moved(packet.size() + shift);
      std::copy(packet.begin(), packet.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
      CHECK(same_bits(decoded(*compressor, std::span<const std::byte>(moved).subspan(shift), d), value));
    }
  }
}

TEST_CASE_TEMPLATE("compressors: the mean over the rounding bracket is the input", Scalar, float, double) {
  const double epsilon = std::numeric_limits<Scalar>::epsilon();
  int members = 0;
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (const auto& z : adversarial_vectors<Scalar>()) {
      const auto compressor = build<Scalar>(spelling, z.size());
      const auto* rounding = dynamic_cast<RoundingCompressor<Scalar>*>(compressor.get());
      if (!rounding || !compressor->traits(z.size()).unbiased) break;
      const auto brackets = rounding->brackets(z);
      if (brackets.empty() && !z.empty()) continue;  // saturated: covered by the laws above
      ++members;
      double largest = 0.0;
      for (const Scalar value : z) largest = std::max(largest, std::abs(static_cast<double>(value)));
      for (std::size_t i = 0; i < z.size(); ++i) {
        const Bracket bracket = brackets[i];
        const double input = static_cast<double>(z[i]);
        const double width = bracket.high - bracket.low;
        // Half a unit of the 24 random bits (with many levels there are fewer, since a float has no more), a
        // few roundings of the values, and a subnormal step times its code.
        const double most_levels =
            width > 0.0 ? largest * std::sqrt(static_cast<double>(z.size())) / width : 0.0;
        const double tolerance = width * 0x1p-24 * std::max(1.0, most_levels / 128) +
                                 6 * epsilon * std::abs(input) +
                                 0x1p15 * std::numeric_limits<Scalar>::denorm_min() + underflow(spelling);
        if (!(std::abs(bracket.mean() - input) <= tolerance))
          FAIL("coordinate " << i << " has mean " << bracket.mean());
      }
    }
  }
  CHECK(members > 0);
}

TEST_CASE_TEMPLATE("compressors: every decoded coordinate is an end of its bracket", Scalar, float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (const auto& z : adversarial_vectors<Scalar>()) {
      const auto compressor = build<Scalar>(spelling, z.size());
      const auto* rounding = dynamic_cast<RoundingCompressor<Scalar>*>(compressor.get());
      if (!rounding) break;
      const auto brackets = rounding->brackets(z);
      if (brackets.size() != z.size() || z.empty()) continue;
      const auto value = decoded(*compressor, encoded(*compressor, z, CodecStatus::ok), z.size());
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double entry = static_cast<double>(value[i]);
        const bool up = entry == brackets[i].high && brackets[i].probability_up > 0.0;
        if (!up && entry != brackets[i].low) FAIL("coordinate " << i << " decodes to " << entry);
      }
    }
  }
}

TEST_CASE_TEMPLATE("compressors: the exact variance is within the stated omega and absolute error", Scalar,
                   float, double) {
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (const auto& z : adversarial_vectors<Scalar>()) {
      CAPTURE(z.size());
      const auto compressor = build<Scalar>(spelling, z.size());
      const auto* rounding = dynamic_cast<RoundingCompressor<Scalar>*>(compressor.get());
      if (!rounding || z.empty()) continue;
      const Traits traits = compressor->traits(z.size());
      const auto brackets = rounding->brackets(z);
      if (brackets.empty()) continue;
      // In units of the largest magnitude, since squares at the ends of the number range would leave it.
      double largest = 0.0;
      for (const Scalar value : z) largest = std::max(largest, std::abs(static_cast<double>(value)));
      if (largest == 0.0) continue;
      double variance = 0.0;
      double norm = 0.0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double width = (brackets[i].high - brackets[i].low) / largest;
        const double p = brackets[i].probability_up;
        variance += p * (1 - p) * width * width;
        norm += std::pow(static_cast<double>(z[i]) / largest, 2);
      }
      const bool normal = largest > 1e6 * std::numeric_limits<Scalar>::min();
      if (traits.unbiased && std::isfinite(traits.omega) && normal)
        CHECK(variance <= traits.omega * norm * (1 + 1e-5) + 1e-7);
      if (!traits.absolute_error_per_coordinate) continue;
      for (std::size_t i = 0; i < z.size(); ++i) {
        // The decoded value is a Scalar: far from zero its own rounding adds to the error.
        const double rounding_error =
            std::numeric_limits<Scalar>::epsilon() * std::abs(static_cast<double>(z[i]));
        const double bound = *traits.absolute_error_per_coordinate * (1 + 1e-12) + rounding_error;
        if (!(std::sqrt(brackets[i].variance()) <= bound))
          FAIL("coordinate " << i << " is off by more than stated");
      }
    }
  }
}

TEST_CASE_TEMPLATE("compressors: the exact expected error is within the stated contraction", Scalar, float,
                   double) {
  int sent = 0;
  int expected = 0;
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    for (const auto& z : adversarial_vectors<Scalar>()) {
      CAPTURE(z.size());
      const auto compressor = build<Scalar>(spelling, z.size());
      const Traits traits = compressor->traits(z.size());
      double largest = 0.0;
      for (const Scalar value : z) largest = std::max(largest, std::abs(static_cast<double>(value)));
      if (!traits.contraction || largest <= 1e6 * static_cast<double>(std::numeric_limits<Scalar>::min()))
        continue;
      CHECK(*traits.contraction > 0.0);
      CHECK(*traits.contraction <= 1.0);

      // In units of the largest magnitude. The error of one message if the compressor is deterministic, else
      // the expectation over the brackets.
      double error = 0.0;
      const auto* rounding = dynamic_cast<RoundingCompressor<Scalar>*>(compressor.get());
      if (traits.deterministic) {
        PacketBuffer out = buffer();
        RandomStream random = stream();
        if (compressor->encode({z, random}, out) != CodecStatus::ok) continue;
        const auto value = decoded<Scalar>(*compressor, out.bytes(), z.size());
        for (std::size_t i = 0; i < z.size(); ++i)
          error += std::pow((static_cast<double>(value[i]) - static_cast<double>(z[i])) / largest, 2);
        ++sent;
      } else if (rounding) {
        const auto brackets = rounding->brackets(z);
        if (brackets.empty()) continue;
        for (std::size_t i = 0; i < z.size(); ++i) {
          const double p = brackets[i].probability_up;
          error += p * std::pow((brackets[i].high - static_cast<double>(z[i])) / largest, 2);
          error += (1 - p) * std::pow((brackets[i].low - static_cast<double>(z[i])) / largest, 2);
        }
        ++expected;
      }
      double norm = 0.0;
      for (const Scalar value : z) norm += std::pow(static_cast<double>(value) / largest, 2);
      CHECK(error <= ((1 - *traits.contraction) * (1 + 1e-5) + 1e-7) * norm);
    }
  }
  CHECK(sent > 100);
  CHECK(expected > 100);
}

TEST_CASE_TEMPLATE("compressors: a spelling parses back to itself", Scalar, float, double) {
  for (const std::string& spelling : spellings()) {
    const auto compressor = build<Scalar>(spelling, 90);
    const std::string canonical = compressor->spelling();
    CAPTURE(canonical);
    const auto again = build<Scalar>(canonical, 90);
    CHECK(again->spelling() == canonical);
    const auto z = gaussian<Scalar>(90, 8);
    CHECK(encoded(*again, z, CodecStatus::ok) == encoded(*compressor, z, CodecStatus::ok));
  }
}

}  // namespace hearsay::test::compressor_laws_test
