#pragma once

#include <cstdint>

namespace hearsay {

/// When checkpoints of a peer are due: after every `every` iterations, and after the last one. Synchronous
/// methods only.
struct CheckpointRule {
  std::uint64_t every = 0;  ///< 0: no checkpoints, unless `as_announced`
  /// True: a verdict announces the number of iterations instead of `every`. Such checkpoints are due only
  /// after iteration 2 evaluate_every, which no peer passes without a verdict; so all peers take the same
  /// ones.
  bool as_announced = false;
  bool any() const { return every != 0 || as_announced; }
};

}  // namespace hearsay
