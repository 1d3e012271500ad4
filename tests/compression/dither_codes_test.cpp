#include <doctest/doctest.h>

#include "algorithms/compression/quantizers/dither_kernels.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::dither_codes_test {

TEST_CASE("dither: codes of any width up to 8 bits are the plain arithmetic's on every instruction set") {
  on_every_target([] {
    for (const std::int32_t levels : {2, 3, 15, 31, 63})
      for (const LevelSet& set : {LevelSet::uniform(levels), LevelSet::powers_of_two(levels)}) {
        const DitherCode code(set);
        CAPTURE(set.spelling());
        REQUIRE(has_dither_kernel(code));
        const auto z = gaussian<float>(301, 5);
        const auto step = dither_step<float>(static_cast<double>(largest_magnitude(z)), code);
        std::vector<std::int32_t> codes(z.size());
        dither_codes_fast(z, 77, step, code, {8, 9}, codes);
        for (std::size_t i = 0; i < z.size(); ++i)
          REQUIRE(codes[i] == random_code(z[i], step, code, {8, 9}, static_cast<std::uint32_t>(77 + i)));
      }
  });
}

}  // namespace hearsay::test::dither_codes_test
