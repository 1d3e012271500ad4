#pragma once

#include "algorithms/objectives/objective.hpp"

namespace hearsay {

/// An objective for one more experiment, without a copy of its data. `owner` must outlive it.
template <class Scalar>
class BorrowedObjective : public Objective<Scalar> {
 public:
  explicit BorrowedObjective(const Objective<Scalar>& owner) : owner_(owner) {}
  Index dimension() const override { return owner_.dimension(); }
  Index sample_count() const override { return owner_.sample_count(); }
  bool has_data() const override { return owner_.has_data(); }
  SegmentTable segments() const override { return owner_.segments(); }
  double loss(const Vector<Scalar>& x) const override { return owner_.loss(x); }
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override {
    owner_.gradient(x, samples, gradient);
  }
  void minibatch_gradient(const Vector<Scalar>& x, const Minibatch& minibatch,
                          Vector<Scalar>& gradient) const override {
    owner_.minibatch_gradient(x, minibatch, gradient);
  }
  LocalScore score(const Vector<Scalar>& x) const override { return owner_.score(x); }

 private:
  const Objective<Scalar>& owner_;
};

}  // namespace hearsay
