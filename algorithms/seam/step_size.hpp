#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// eta_t as a pure function of the iteration t = 1, 2, ...
///
///   constant                    eta
///   inverse-sqrt                eta / sqrt(t)
///   inverse(b)                  eta / (t + b)
///   cosine(T, end)              eta (end + (1 - end) (1 + cos(pi (t - 1) / T)) / 2) for t <= T, then eta end
///                                                                (Loshchilov, Hutter 2017, without restarts)
///   multistep(factor, t1, ...)  eta factor^k after k of the iterations t1 < t2 < ...
///
/// b and end are 0 unless they are given. During the first `warm_up` iterations eta_t is further multiplied
/// by t / warm_up; the schedule runs on beneath.
class StepSize {
 public:
  /// Throws Misuse (key algorithm.step_schedule) if `schedule` is none of the above.
  StepSize(double eta, const std::string& schedule, std::uint64_t warm_up);
  double at(std::uint64_t iteration) const;

 private:
  enum class Decay { constant, inverse_sqrt, inverse, cosine, multistep };
  double eta_;
  Decay decay_;
  std::uint64_t warm_up_;
  double offset_ = 0.0;                         // b
  std::uint64_t length_ = 0;                    // T
  double end_ = 0.0;                            // as a share of eta
  double factor_ = 1.0;                         // of each milestone
  std::vector<std::uint64_t> milestones_ = {};  // t1, t2, ...
};

/// The spellings of `algorithm.step_schedule`.
std::span<const Choice> step_schedule_choices();

}  // namespace hearsay
