#pragma once

#include <string>

#include "runtime/experiment/experiment.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test {

/// Returns the settings of four peers with quadratics, evaluated in every iteration.
inline RunSettings four_peers(const std::string& method) {
  RunSettings settings;
  settings.model.kind = "quadratic(4)";
  settings.topology.peers = 4;
  settings.algorithm.kind = method;
  settings.run.evaluate_every = 1;
  return settings;
}

/// Returns the message with which the settings are refused; empty if they are accepted.
inline std::string refusal(const RunSettings& settings) {
  return misuse_text([&] { prepare<double>(settings); });
}

}  // namespace hearsay::test
