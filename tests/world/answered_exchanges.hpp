#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Checks that all peers of an asynchronous run went through their iterations, and that no exchange was lost.
inline void check_exchanges_answered(const RunOutcome<double>& outcome, std::uint64_t iterations) {
  std::uint64_t asked = 0, answered = 0;
  for (const PeerOutcome& peer : outcome.peers) {
    CHECK(peer.iterations == iterations);
    asked += peer.meters.counters.exchanges_asked;
    answered += peer.meters.counters.exchanges_answered;
  }
  CHECK(asked == answered);
}

}  // namespace hearsay
