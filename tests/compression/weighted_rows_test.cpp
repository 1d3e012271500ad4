#include "algorithms/compression/transforms/weighted_rows.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::weighted_rows_test {

TEST_CASE("sums of rows: the kernel is the plain arithmetic on every instruction set") {
  const std::vector<std::uint32_t> places = {0, 3, 4, 9, 10, 11, 2};
  std::vector<float> weights = gaussian<float>(places.size(), 3);
  weights[2] = -0.0f;
  for (const std::size_t length : {16u, 32u, 48u, 64u, 112u, 512u}) {
    const std::vector<float> rows = gaussian<float>(12 * length, 4);
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, places.size()}) {
      const WeightedRows<float> chosen{std::span(places).first(count), std::span(weights).first(count)};
      std::vector<float> expected(length);
      sum_rows_plain<float>(chosen, rows, expected);
      const int targets = on_every_target([&] {
        std::vector<float> sums(length, 1.0f);
        sum_rows<float>(chosen, rows, sums);
        for (std::size_t k = 0; k < length; ++k)
          REQUIRE(std::bit_cast<std::uint32_t>(sums[k]) == std::bit_cast<std::uint32_t>(expected[k]));
      });
      CHECK(targets >= 2);
    }
  }
}

}  // namespace hearsay::test::weighted_rows_test
