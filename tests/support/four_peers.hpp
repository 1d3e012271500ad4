#pragma once

#include <string>

#include "runtime/experiment/experiment.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test {

/// Quadratics at four peers, evaluated at every iteration.
inline RunSettings four_peers(const std::string& method) {
  RunSettings settings;
  settings.model.kind = "quadratic(4)";
  settings.topology.peers = 4;
  settings.algorithm.kind = method;
  settings.run.evaluate_every = 1;
  return settings;
}

/// What the user reads; empty where the run is accepted.
inline std::string refusal(const RunSettings& settings) {
  return misuse_text([&] { prepare<double>(settings); });
}

}  // namespace hearsay::test
