#include "algorithms/arithmetic/square_roots.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::square_roots_test {

TEST_CASE("square roots: rounded correctly at every length, so each processor has the same bits") {
  RandomStream random(3, 0, 0, Purpose::data);
  for (const Index n : {1, 3, 4, 7, 16, 1000}) {
    Vector<float> squares(n);
    for (float& square : squares)
      square = std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x7f80'0000)));
    squares[0] = std::numeric_limits<float>::denorm_min();
    const Vector<float> roots = square_roots(squares.array()).matrix();
    for (Index k = 0; k < n; ++k) {
      const volatile float square = squares[k];
      CHECK(std::bit_cast<std::uint32_t>(roots[k]) == std::bit_cast<std::uint32_t>(std::sqrt(square)));
    }
  }
}

TEST_CASE("square roots: of doubles, of zero and of what is not finite") {
  Vector<double> squares(4);
  squares << 0.0, 2.0, std::numeric_limits<double>::infinity(), -1.0;
  const Vector<double> roots = square_roots(squares.array()).matrix();
  CHECK(roots[0] == 0.0);
  CHECK(roots[1] == std::sqrt(2.0));
  CHECK(std::isinf(roots[2]));
  CHECK(std::isnan(roots[3]));
}

}  // namespace hearsay::square_roots_test
