#pragma once

#include <utility>

#include "algorithms/objectives/objective.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Stands in for the objective of a dedicated hub, which has no data. It has the size and the layers of the
/// model, and a loss of 0, which is no part of a mean. To ask for a gradient is a bug.
template <class Scalar>
class HubObjective : public Objective<Scalar> {
 public:
  explicit HubObjective(SegmentTable layers) : layers_(std::move(layers)) {}

  Index dimension() const override { return layers_.back().end(); }
  Index sample_count() const override { return 0; }
  bool has_data() const override { return false; }
  SegmentTable segments() const override { return layers_; }
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>&) const override {
    ensure(false, "a hub without data takes no gradient");
  }
  LocalScore score(const Vector<Scalar>&) const override { return {.has_data = false}; }

 private:
  SegmentTable layers_;
};

}  // namespace hearsay
