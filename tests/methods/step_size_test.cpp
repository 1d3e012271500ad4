#include "algorithms/seam/step_size.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "topology/foundation/misuse.hpp"

using namespace hearsay;

TEST_CASE("step size: the three schedules, by their formulas") {
  for (const std::uint64_t t : {1u, 2u, 9u, 10'000u}) {
    const auto iteration = static_cast<double>(t);
    CHECK(StepSize(0.3, "constant", 0).at(t) == 0.3);
    CHECK(StepSize(0.3, "inverse-sqrt", 0).at(t) == 0.3 / std::sqrt(iteration));
    CHECK(StepSize(0.3, "inverse", 0).at(t) == 0.3 / iteration);
  }
}

TEST_CASE("step size: a warm-up rises linearly and then leaves the schedule alone") {
  const StepSize warm(0.4, "inverse-sqrt", 8);
  const StepSize cold(0.4, "inverse-sqrt", 0);
  for (std::uint64_t t = 1; t <= 20; ++t)
    CHECK(warm.at(t) ==
          doctest::Approx(cold.at(t) * std::min(1.0, static_cast<double>(t) / 8)).epsilon(1e-15));
}

TEST_CASE("step size: an unknown schedule is refused with what is known") {
  CHECK_THROWS_WITH_AS(StepSize(0.1, "cosine", 0),
                       "algorithm.step_schedule = cosine: expected constant, inverse-sqrt or inverse",
                       Misuse);
}
