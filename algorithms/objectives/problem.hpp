#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/objectives/objective.hpp"
#include "algorithms/objectives/regularizer.hpp"

namespace hearsay {

/// The samples that an accuracy is of.
struct JudgedSamples {
  bool are_test = false;  ///< false: training samples, since the data have no others
  Index count = 0;
};

/// What n peers minimise together: (1/n) sum_i f_i(x) + h(x), from a common start.
template <class Scalar>
struct Problem {
  std::vector<std::unique_ptr<const Objective<Scalar>>> objectives;  ///< f_0, ..., f_{n-1}
  Vector<Scalar> initial;                                            ///< x_0, the same at every peer
  std::shared_ptr<const Regularizer<Scalar>> regularizer;            ///< h; null means 0
  /// Returns the share of the `judged` samples that a model classifies correctly, in [0, 1]. Empty if the
  /// model does not classify.
  std::function<double(const Vector<Scalar>&)> accuracy;
  JudgedSamples judged = {};
  /// The minimiser of the pooled objective, if it is known (quadratics).
  std::optional<Vector<Scalar>> minimiser;
  /// Digest of the data (and of an initial model from a file). Peers compare it before they train together.
  std::uint64_t data_digest = 0;

  Index dimension() const { return objectives.front()->dimension(); }
  std::size_t peer_count() const { return objectives.size(); }

  /// The training samples of all peers; 0 if the objectives are of no samples.
  Index sample_count() const {
    Index count = 0;
    for (const auto& objective : objectives) count += objective->sample_count();
    return count;
  }

  /// The pooled objective (1/n) sum_i f_i(x) + h(x), summed in peer order: of the training data, always.
  double loss(const Vector<Scalar>& x) const {
    double sum = 0.0;
    for (const auto& objective : objectives) sum += objective->loss(x);
    return sum / static_cast<double>(objectives.size()) + (regularizer ? regularizer->value(x) : 0.0);
  }
};

}  // namespace hearsay
