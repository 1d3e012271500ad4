#pragma once

#include <cstdint>

#include "algorithms/objectives/problem.hpp"
#include "algorithms/seam/method.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

// What settings leave open is filled in: settings in, settings out. They throw Misuse for what they cannot
// read.

/// Returns the settings with the number of peers and the links that the topology file gives.
RunSettings resolved(RunSettings settings, const NamedTopology& topology);

/// Returns the settings in which method, compressors and options are complete: aliases and "auto" replaced by
/// what they stand for.
template <class Scalar>
RunSettings with_method_resolved(RunSettings settings, const Problem<Scalar>& problem);

/// Returns run.iterations, or the number of iterations in run.epochs passes over the data. In an iteration
/// every peer that takes part draws local_steps minibatches. The further gradients of dpsvrg's estimators are
/// not included here; the records count them.
template <class Scalar>
std::uint64_t iteration_count(const RunSettings& settings, const MethodInfo& method,
                              const Problem<Scalar>& problem, const Schedule& schedule);

}  // namespace hearsay
