#pragma once

#include <cstdint>

#include "algorithms/objectives/problem.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

// What a run wants of its problem that the problem cannot give, or that nobody means.

/// Throws Misuse, naming the key, unless a message of at most `message_bytes` fits into one frame.
void require_fitting_frame(const std::string& key, const std::string& compressor,
                           std::uint64_t message_bytes);

/// Throws Misuse for a topology.hub that the run cannot have.
void require_sensible_hub(const RunSettings& settings);

/// Throws Misuse for a minibatch that is larger than any peer's data: most likely a typing error, which would
/// run for hours.
template <class Scalar>
void require_sensible_batch(const RunSettings& settings, const Problem<Scalar>& problem);

/// Throws Misuse for more local steps than any peer has samples: most likely a typing error.
template <class Scalar>
void require_sensible_local_steps(const RunSettings& settings, const Problem<Scalar>& problem);

/// Throws Misuse for a step size that is 0 within the run, if the method divides by it: models would be NaN.
template <class Scalar>
void require_divisible_steps(const RunSettings& settings, const StepSize& step_size,
                             std::uint64_t iterations);

/// Throws Misuse if data or models are not where run.evaluate, run.keep and run.keep_models want them.
template <class Scalar>
void require_possible_evaluation(const RunSettings& settings, const Problem<Scalar>& problem);

}  // namespace hearsay
