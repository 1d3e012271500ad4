#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Throws Misuse if run.evaluate_every is a time in a run that has to know its evaluations beforehand: if
/// peers are held together by evaluations alone, or if other settings count in evaluations.
template <class Scalar>
void check_evaluations_by_time(const Experiment<Scalar>& experiment);

}  // namespace hearsay
