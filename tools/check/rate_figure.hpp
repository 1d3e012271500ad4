#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runtime/settings/run_settings.hpp"
#include "tools/check/rate_line.hpp"

namespace hearsay {

/// What a page draws of the compressors of runs: each one's measured bits and error on the gradients of its
/// run, beside what theory allows.
class RateFigure {
 public:
  /// Returns {..as json_of(RateLine), "worst_error", "most_bits", "curves":{..as rate_curves}}. Null if there
  /// is no rate line, or if the data of the run cannot be loaded any more. Loads them once for runs in a row
  /// that have the same.
  nlohmann::ordered_json of(const RunSettings& settings);

 private:
  template <class Scalar>
  struct Known {
    RunSettings settings;  ///< without what gradients at the initial model do not depend on
    std::optional<PeerGradients<Scalar>> gradients;
    nlohmann::ordered_json curves;
  };
  std::pair<std::optional<Known<float>>, std::optional<Known<double>>> known_;
};

}  // namespace hearsay
