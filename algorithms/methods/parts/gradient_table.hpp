#pragma once

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The memory of SAGA at one peer: the newest gradient of every local sample, m_i x d, and their mean.
template <class Scalar>
class GradientTable {
 public:
  bool empty() const { return gradients_.size() == 0; }
  /// Sets all gradients and their mean to zero.
  void resize(Index samples, Index dimension) {
    gradients_ = Vector<Scalar>::Zero(samples * dimension);
    mean_ = Vector<Scalar>::Zero(dimension);
  }

  const Vector<Scalar>& mean() const { return mean_; }
  /// Stores `gradient` as the gradient of `sample`. Adds `share` times its change to `estimate`.
  void replace(Index sample, const Vector<Scalar>& gradient, Scalar share, Vector<Scalar>& estimate) {
    auto old = gradients_.segment(sample * mean_.size(), mean_.size());
    estimate += share * (gradient - old);
    mean_ += (gradient - old) / static_cast<Scalar>(gradients_.size() / mean_.size());
    old = gradient;
  }

  void visit(StateVisitor<Scalar>& visitor) {
    visitor.late_state("gradient table", gradients_);
    visitor.late_state("mean gradient", mean_);
  }
  /// True if the state that a visitor has written is empty, or a table for this many samples in R^d.
  bool is_sound(Index samples, Index dimension) const {
    if (empty()) return mean_.size() == 0;
    return mean_.size() == dimension && gradients_.size() == samples * dimension;
  }

 private:
  Vector<Scalar> gradients_;
  Vector<Scalar> mean_;
};

}  // namespace hearsay
