#include "algorithms/compression/quantizers/quantizer_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/compression/quantizers/grid_rounding.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::quantizer_kernels_test {

namespace {

constexpr ElementKey key{0x12345678u, 0x9abcdef0u};
constexpr std::uint32_t first = 4'294'967'200u;

std::uint32_t index_of(std::size_t k) { return first + static_cast<std::uint32_t>(k); }

/// Gaussian values, ties, zeros of both signs, denormals and large values; an odd number of them.
std::vector<float> values() {
  std::vector<float> z = gaussian<float>(300, 9);
  for (int k = -40; k <= 40; ++k) z.push_back(static_cast<float>(k) * 0.125f);
  for (const float value : {0.0f, 1e-42f, 0x1p-126f, 0x1.01p10f, 0x1.018p10f, 0x1.03p-3f, 0x1.FEp126f}) {
    z.push_back(value);
    z.push_back(-value);
  }
  z.push_back(1.0f);
  return z;
}

/// The same values, clipped to what a grid of step 0.25 can express.
std::vector<float> moderate_values() {
  std::vector<float> z = values();
  for (float& value : z) value = std::clamp(value, -1e7f, 1e7f);
  return z;
}

}  // namespace

TEST_CASE("nearest: the kernel is the plain arithmetic on every instruction set") {
  const auto z = values();
  const int targets = on_every_target([&] {
    for (const float step : {0.25f, 0.1f, 1e-40f}) {
      std::vector<std::int32_t> codes(z.size());
      nearest_codes_fast(z, step, 127, codes);
      for (std::size_t k = 0; k < z.size(); ++k) {
        const double nearest = std::nearbyint(static_cast<double>(z[k]) / static_cast<double>(step));
        REQUIRE(codes[k] == static_cast<std::int32_t>(std::clamp(nearest, -127.0, 127.0)));
      }
    }
  });
  CHECK(targets >= 2);
}

TEST_CASE("grid: the kernels are the plain arithmetic on every instruction set") {
  const auto z = moderate_values();
  on_every_target([&] {
    for (const double step : {0.25, 0.1}) {
      std::vector<std::int32_t> codes(z.size());
      REQUIRE(grid_codes_fast(z, step, 0x1p31 - 1, key, first, codes));
      std::vector<float> decoded(z.size());
      grid_values_fast(codes, step, decoded);
      for (std::size_t k = 0; k < z.size(); ++k) {
        const GridPosition place = grid_position(static_cast<double>(z[k]) / step);
        REQUIRE(codes[k] == place.rounded(element_bits(key, index_of(k))));
        REQUIRE(decoded[k] == static_cast<float>(codes[k] * step));
      }
    }
  });
}

TEST_CASE("grid: quotients have the bits of a division, by whatever step, on every instruction set") {
  RandomStream random(4, 0, 0, Purpose::data);
  const auto any = [&](unsigned exponents) {
    const std::uint32_t exponent = 127 - exponents / 2 + random.bits() % exponents;
    return std::bit_cast<float>(exponent << 23 | random.bits() >> 9);
  };
  for (int draw = 0; draw < 300; ++draw) {
    // Near and far steps; quotients next to a whole number, whose floor a wrong last bit would change.
    const double step = draw % 2 ? static_cast<double>(any(40)) : static_cast<double>(any(40)) * 1.1;
    std::vector<float> z(64);
    for (float& value : z)
      value = draw % 3 ? any(60) : static_cast<float>(step * static_cast<double>(random.bits() >> 12));
    for (float& value : z) value = std::clamp(value, 0.0f, static_cast<float>(step * 0x1p30));
    on_every_target([&] {
      std::vector<std::int32_t> codes(z.size());
      REQUIRE(grid_codes_fast(z, step, 0x1p31 - 1, key, first, codes));
      for (std::size_t k = 0; k < z.size(); ++k)
        REQUIRE(codes[k] ==
                grid_position(static_cast<double>(z[k]) / step).rounded(element_bits(key, index_of(k))));
    });
  }
}

TEST_CASE("grid: the kernel finds what is out of range or no number at every place") {
  on_every_target([] {
    std::vector<std::int32_t> codes(67);
    for (std::size_t at = 0; at < codes.size(); ++at)
      for (const float bad : {101.0f, -100.0f, std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> z(codes.size(), 1.0f);
        z[at] = bad;
        REQUIRE_FALSE(grid_codes_fast(z, 1.0, 100.0, key, first, codes));
      }
  });
}

TEST_CASE("bf16: the kernels are rounding by the lower half of a float on every instruction set") {
  const auto z = values();
  on_every_target([&] {
    std::vector<std::int32_t> random(z.size()), nearest(z.size());
    REQUIRE(bf16_codes_fast(z, false, key, first, random));
    REQUIRE(bf16_codes_fast(z, true, key, first, nearest));
    std::vector<float> decoded(z.size());
    REQUIRE(bf16_values_fast(nearest, decoded));
    for (std::size_t k = 0; k < z.size(); ++k) {
      const auto word = std::bit_cast<std::uint32_t>(z[k]);
      const auto below = static_cast<std::int32_t>(word >> 16);
      const double fraction = (word & 0xFFFF) * 0x1p-16;
      REQUIRE(random[k] == below + (element_bits(key, index_of(k)) * 0x1p-32 < fraction));
      REQUIRE(nearest[k] == below + (fraction > 0.5 || (fraction == 0.5 && below % 2 == 1)));
      REQUIRE(std::bit_cast<std::uint32_t>(decoded[k]) == static_cast<std::uint32_t>(nearest[k]) << 16);
    }
  });
}

TEST_CASE("bf16: the kernels find what is too large or no number at every place") {
  on_every_target([] {
    std::vector<std::int32_t> codes(67);
    std::vector<float> decoded(codes.size());
    for (std::size_t at = 0; at < codes.size(); ++at)
      for (const float bad : {std::numeric_limits<float>::max(), -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> z(codes.size(), 1.0f);
        z[at] = bad;
        REQUIRE_FALSE(bf16_codes_fast(z, false, key, first, codes));
        std::vector<std::int32_t> sent(codes.size(), 0x3F80);
        REQUIRE(bf16_values_fast(sent, decoded));
        sent[at] = 0xFF80;
        REQUIRE_FALSE(bf16_values_fast(sent, decoded));
      }
  });
}

}  // namespace hearsay::test::quantizer_kernels_test
