#pragma once

#include <optional>
#include <string>

namespace hearsay {

/// eps_1, as algorithm.threshold says.
class CensorThreshold {
 public:
  /// Throws Misuse unless `text` is "auto", or a number of at least 0.
  explicit CensorThreshold(const std::string& text);
  bool is_automatic() const { return !given_; }
  /// Of a step of length eta.
  double at(double step_size) const { return given_.value_or(0.1 / (step_size * step_size)); }

 private:
  std::optional<double> given_;
};

}  // namespace hearsay
