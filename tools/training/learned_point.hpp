#pragma once

#include <memory>

#include "runtime/simulator/retiming.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

/// Whether two runs differ in nothing but the emulated network, and where they are written.
bool differ_in_the_network_only(const RunSettings& one, const RunSettings& other);

/// A point of a sweep in virtual time that was trained, and of which points that differ in nothing but the
/// network are timed (retiming.hpp) instead of trained, too. Whatever its scalar.
class LearnedPoint {
 public:
  virtual ~LearnedPoint() = default;
  /// The run on the network of these settings, which differ in nothing else, with its output directory.
  /// Throws Misuse as `train`.
  virtual FinishedRun on_network_of(const RunSettings& settings, EarlierOutput earlier, SaveModels save) = 0;
};

/// Nothing where the run would not be the same on other networks.
template <class Scalar>
std::unique_ptr<LearnedPoint> learned_point(Experiment<Scalar> experiment, LearnedRun<Scalar> learned,
                                            Duration measured_gradient);

}  // namespace hearsay
