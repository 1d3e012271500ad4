#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/objectives/objective.hpp"
#include "algorithms/objectives/regularizer.hpp"

namespace hearsay {

/// What n peers minimise together: (1/n) sum_i f_i(x) + h(x), from a common start.
template <class Scalar>
struct Problem {
  std::vector<std::unique_ptr<const Objective<Scalar>>> objectives;  ///< f_0, ..., f_{n-1}
  Vector<Scalar> initial;                                            ///< x_0, the same at every peer
  std::shared_ptr<const Regularizer<Scalar>> regularizer;            ///< h; none means 0
  /// Share of correctly classified test samples, in [0, 1]; empty where the model does not classify.
  std::function<double(const Vector<Scalar>&)> accuracy;
  /// The minimiser of the pooled objective, where it is known (quadratics).
  std::optional<Vector<Scalar>> minimiser;
  /// Stands for the data (and an initial model from a file): what peers compare before they train together.
  std::uint64_t data_digest = 0;

  Index dimension() const { return objectives.front()->dimension(); }
  std::size_t peer_count() const { return objectives.size(); }

  /// The pooled objective (1/n) sum_i f_i(x) + h(x), summed in peer order.
  double loss(const Vector<Scalar>& x) const {
    double sum = 0.0;
    for (const auto& objective : objectives) sum += objective->loss(x);
    return sum / static_cast<double>(objectives.size()) + (regularizer ? regularizer->value(x) : 0.0);
  }
};

}  // namespace hearsay
