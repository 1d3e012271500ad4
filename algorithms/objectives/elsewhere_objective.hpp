#pragma once

#include <utility>

#include "algorithms/objectives/objective.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Stands in for the objective of a peer on another host, whose data are at home there. It has the size and
/// the layers of the model, and computes nothing: to ask it is a bug.
template <class Scalar>
class ElsewhereObjective final : public Objective<Scalar> {
 public:
  explicit ElsewhereObjective(SegmentTable layers) : layers_(std::move(layers)) {}

  Index dimension() const override { return layers_.back().end(); }
  Index sample_count() const override { return 0; }
  SegmentTable segments() const override { return layers_; }
  double loss(const Vector<Scalar>&) const override {
    ensure(false, elsewhere);
    return 0.0;
  }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>&) const override {
    ensure(false, elsewhere);
  }

 private:
  static constexpr const char* elsewhere = "an objective is asked where its data are";

  SegmentTable layers_;
};

}  // namespace hearsay
