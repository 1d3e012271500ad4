#pragma once

#include <memory>
#include <string>

#include "runtime/simulator/retiming.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

/// Returns a text that two runs share if they differ in nothing but the emulated network and the output
/// directory.
std::string all_but_the_network(const RunSettings& settings);

/// What a run leaves behind on request.
struct Extras {
  SaveModels save = SaveModels::mean;
  bool per_peer = false;     ///< what is recorded of every peer, in columns
  std::string command = {};  ///< the command line for the record; empty: that of this process
};

/// A point of a sweep in virtual time that was trained, of either scalar type. Points that differ from it in
/// the network only are timed instead of trained (retiming.hpp).
class LearnedPoint {
 public:
  virtual ~LearnedPoint() = default;
  /// False if the run would be another on the network of `settings`: if another way of algorithm.reduce is
  /// the quickest there.
  virtual bool is_the_same_on_network_of(const RunSettings& settings) const = 0;
  /// Times the run on the network of `settings`, which differ in nothing else and on which it is the same.
  /// Writes its output directory. Throws Misuse as `train` does.
  virtual FinishedRun on_network_of(const RunSettings& settings, EarlierOutput earlier, Extras extras) = 0;
};

/// Returns null if the run would not be the same on another network.
template <class Scalar>
std::unique_ptr<LearnedPoint> learned_point(Experiment<Scalar> experiment, TracedRun<Scalar> traced,
                                            Duration measured_gradient);

}  // namespace hearsay
