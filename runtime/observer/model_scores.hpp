#pragma once

#include <span>
#include <utility>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/foundation/crew.hpp"

namespace hearsay {

/// Returns the scores that all objectives of the problem give to the model, by peer.
template <class Scalar>
std::vector<LocalScore> scores_of(const Problem<Scalar>& problem, const Vector<Scalar>& model, Crew& crew);

/// Returns the least and the largest pooled loss of the models that are not empty. Both are NaN if one is.
template <class Scalar>
std::pair<double, double> losses_of(const Problem<Scalar>& problem, std::span<const Vector<Scalar>> models,
                                    Crew& crew);

}  // namespace hearsay
