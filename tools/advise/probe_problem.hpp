#pragma once

#include "algorithms/objectives/problem.hpp"

namespace hearsay {

/// The same problem for one experiment more, without a copy of its data; `problem` must outlive it. It judges
/// no accuracy, which costs time.
template <class Scalar>
Problem<Scalar> borrowed(const Problem<Scalar>& problem);

/// A problem whose messages are as those of `problem` and whose arithmetic is next to nothing: as many peers,
/// samples, parameters and layers; every gradient is that of peer 0 at the start, on `batch` samples, and
/// every loss is 0. For how long iterations take, not for what they achieve.
template <class Scalar>
Problem<Scalar> stand_in(const Problem<Scalar>& problem, Index batch);

}  // namespace hearsay
