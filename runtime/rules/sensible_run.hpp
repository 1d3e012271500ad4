#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "algorithms/objectives/problem.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// Throws Misuse for resolved settings that do not go together, or want of the method or the problem what
/// these cannot give, or that nobody means: a minibatch or local steps beyond any peer's data are most likely
/// a typing error, which would run for hours.
template <class Scalar>
void require_sensible_run(const RunSettings& settings, const MethodInfo& method,
                          const Problem<Scalar>& problem, const Graph& graph);

/// Throws Misuse for a step size that is 0 within the run, if the method divides by it: models would be NaN.
template <class Scalar>
void require_divisible_steps(const RunSettings& settings, const StepSize& step_size,
                             std::uint64_t iterations);

/// Throws Misuse for a [[network.link]] between peers that never talk. It would have no effect: most likely
/// an id is wrong.
void require_links_in_use(const RunSettings& settings, const Graph& graph, const MixingMatrix& mixing,
                          const std::function<bool(PeerId from, PeerId to)>& may_send);

/// Throws Misuse if run.evaluate_every is a time in a run that has to know its evaluations beforehand: if
/// peers are held together by evaluations alone, or if other settings count in evaluations.
/// `lead_is_bounded`: messages keep peers from being any number of iterations apart.
void require_known_evaluations(const RunSettings& settings, const MethodInfo& method, bool lead_is_bounded);

}  // namespace hearsay
