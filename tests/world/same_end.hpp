#pragma once

#include <doctest/doctest.h>

#include "runtime/record/outcome.hpp"
#include "runtime/record/summary.hpp"

namespace hearsay {

/// Checks that a disturbed run ended with the bits of the undisturbed one.
inline void check_same_end(const RunOutcome<double>& disturbed, const RunOutcome<double>& undisturbed) {
  CHECK_MESSAGE(disturbed.status == undisturbed.status, disturbed.reason);
  REQUIRE(disturbed.peers.size() == undisturbed.peers.size());
  for (PeerId id = 0; id < disturbed.peers.size(); ++id) {
    CHECK(disturbed.peers[id].iterations == undisturbed.peers[id].iterations);
    CHECK(disturbed.peers[id].model_digest == undisturbed.peers[id].model_digest);
  }
  REQUIRE(disturbed.evaluations.size() == undisturbed.evaluations.size());
  for (std::size_t k = 0; k < disturbed.evaluations.size(); ++k) {
    CHECK(disturbed.evaluations[k].iteration == undisturbed.evaluations[k].iteration);
    CHECK(disturbed.evaluations[k].loss == undisturbed.evaluations[k].loss);
  }
  CHECK(replicas_consistent(disturbed.peers) == replicas_consistent(undisturbed.peers));
}

}  // namespace hearsay
