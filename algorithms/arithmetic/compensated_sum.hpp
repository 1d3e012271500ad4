#pragma once

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// A sum of vectors in R^d, 0 at first, that is added to for as long as a run takes. Every addition keeps
/// what rounding cuts off (Knuth's TwoSum), so small terms count, however many there are.
template <class Scalar>
class CompensatedSum {
 public:
  explicit CompensatedSum(Index dimension)
      : rounded_(Vector<Scalar>::Zero(dimension)), cut_off_(Vector<Scalar>::Zero(dimension)) {}

  /// An expression in R^d.
  auto value() const { return rounded_ + cut_off_; }

  /// += factor * vector
  void add(Scalar factor, const Vector<Scalar>& vector) {
    for (Index k = 0; k < rounded_.size(); ++k) {
      const Scalar term = factor * vector[k];
      const Scalar before = rounded_[k];
      const Scalar after = before + term;
      const Scalar arrived = after - before;
      cut_off_[k] += (before - (after - arrived)) + (term - arrived);
      rounded_[k] = after;
    }
  }

  void scale(Scalar factor) {
    rounded_ *= factor;
    cut_off_ *= factor;
  }

  void clear() {
    rounded_.setZero();
    cut_off_.setZero();
  }

  /// The two vectors that it consists of.
  Vector<Scalar>& rounded() { return rounded_; }
  Vector<Scalar>& cut_off() { return cut_off_; }

 private:
  Vector<Scalar> rounded_;
  Vector<Scalar> cut_off_;
};

}  // namespace hearsay
