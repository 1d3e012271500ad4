#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/simulator/simulator.hpp"

namespace hearsay::test {

/// Seconds to the target of these variants of bench/sweeps/`file`, each at its first point with the
/// assignments.
inline std::map<std::string, double> seconds_to_target(const std::string& file,
                                                       const std::vector<std::string>& assignments,
                                                       const std::vector<std::string>& variants) {
  const Sweep sweep = load_sweep(HEARSAY_SOURCE_DIR "/bench/sweeps/" + file, assignments);
  std::map<std::string, double> seconds;
  for (const SweepPoint& point : sweep.points) {
    if (std::ranges::find(variants, point.variant) == variants.end()) continue;
    if (seconds.contains(point.variant)) continue;
    const auto outcome = simulate(prepare<float>(point.run), Duration{0});
    REQUIRE_MESSAGE(outcome.target, point.variant);
    seconds[point.variant] = outcome.target->seconds;
  }
  REQUIRE(seconds.size() == variants.size());
  return seconds;
}

}  // namespace hearsay::test
