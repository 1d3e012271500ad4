#pragma once

#include "algorithms/objectives/objective.hpp"

namespace hearsay {

/// An objective that computes nothing, of a model that need not exist.
template <class Scalar>
class NoObjective final : public Objective<Scalar> {
 public:
  NoObjective(Index samples, Index dimension) : samples_(samples), dimension_(dimension) {}
  Index dimension() const override { return dimension_; }
  Index sample_count() const override { return samples_; }
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>& gradient) const override {
    gradient.setZero();
  }

 private:
  Index samples_;
  Index dimension_;
};

}  // namespace hearsay
