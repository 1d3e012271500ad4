#pragma once

#include "algorithms/objectives/problem.hpp"

namespace hearsay {

/// Returns the problem for one more experiment, without a copy of its data; `problem` must outlive the
/// result. The result has no accuracy, which would cost time.
template <class Scalar>
Problem<Scalar> borrowed(const Problem<Scalar>& problem);

/// Returns a problem with the message sizes of `problem` and nearly no arithmetic: as many peers, samples,
/// parameters and layers. Every gradient is that of peer 0 at the initial model on `batch` samples; every
/// loss is 0. It serves to time iterations, not to train. `problem` must outlive the result.
template <class Scalar>
Problem<Scalar> stand_in(const Problem<Scalar>& problem, Index batch);

}  // namespace hearsay
