#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/iteration.hpp"

namespace hearsay {

/// The gradients of one peer: on which samples, and the one that its method asked for last.
template <class Scalar>
class LocalGradients {
 public:
  /// `batch`: samples per gradient, drawn with replacement; empty: all local samples. The objective outlives
  /// this.
  LocalGradients(const Objective<Scalar>& objective, std::optional<std::uint64_t> batch, Index dimension)
      : objective_(objective), batch_(batch), gradient_(dimension) {}

  void begin_iteration() { draws_.reset(); }
  std::span<const Index> all_samples();
  std::span<const Index> minibatch(const Iteration<Scalar>& iteration);
  void next_minibatch(const Iteration<Scalar>& iteration);

  /// The point and the samples stay where they are until the gradient is computed.
  void request(const Vector<Scalar>& point, std::span<const Index> samples);
  std::uint64_t requested_samples() const { return samples_.size(); }
  /// How much work that is, in gradients of a minibatch.
  double work() const;
  void compute() { objective_.gradient(*point_, samples_, gradient_); }
  const Vector<Scalar>& gradient() const { return gradient_; }

 private:
  const Objective<Scalar>& objective_;
  std::optional<std::uint64_t> batch_;
  const Vector<Scalar>* point_ = nullptr;
  std::span<const Index> samples_;
  Vector<Scalar> gradient_;
  std::vector<Index> all_samples_;     // once they are asked for
  std::optional<RandomStream> draws_;  // of this iteration, once there is one
  std::vector<Index> minibatch_;
};

}  // namespace hearsay
