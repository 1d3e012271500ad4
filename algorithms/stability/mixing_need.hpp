#pragma once

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

/// Checks that W and the schedule are such as the method needs: links both ways, symmetric, weights of at
/// least 0, the same in every round, eigenvalues that are not too small (MethodInfo).
void check_mixing_need(const RunView& view, Advice& advice);

/// True if no eigenvalue of W is too small for the method with these options.
bool eigenvalues_suffice(const MixingMatrix& mixing, const MethodInfo& method, const MethodOptions& options);

/// Returns the words for what `smallest_eigenvalue_needed` permits: "above -0.333".
std::string range_of_eigenvalues(double limit);

}  // namespace hearsay
