#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hearsay {

/// eta_t as a pure function of the iteration t = 1, 2, ...
///
///   constant       eta
///   inverse-sqrt   eta / sqrt(t)
///   inverse        eta / t
///
/// During the first `warm_up` iterations eta_t is further multiplied by t / warm_up.
class StepSize {
 public:
  /// Throws Misuse (key algorithm.step_schedule) if `schedule` is none of the above.
  StepSize(double eta, const std::string& schedule, std::uint64_t warm_up);
  double at(std::uint64_t iteration) const;

 private:
  enum class Decay { constant, inverse_sqrt, inverse };
  double eta_;
  Decay decay_;
  std::uint64_t warm_up_;
};

/// The spellings of `algorithm.step_schedule`.
std::span<const std::string> step_schedule_names();

}  // namespace hearsay
