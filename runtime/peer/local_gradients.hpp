#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/iteration.hpp"

namespace hearsay {

/// The gradients of one peer: draws the minibatches, and computes the gradient that the method asked for.
template <class Scalar>
class LocalGradients {
 public:
  /// `batch`: samples per gradient, drawn with replacement; empty: all local samples. `clip`: the largest
  /// Euclidean norm of a gradient; empty: any. `objective` must outlive this object.
  LocalGradients(const Objective<Scalar>& objective, std::optional<std::uint64_t> batch,
                 std::optional<double> clip, Index dimension)
      : objective_(objective), batch_(batch), clip_(clip), gradient_(dimension) {}

  void begin_iteration(const Iteration<Scalar>& iteration) {
    draws_.reset();
    seeds_ = iteration.random(Purpose::objective);
    seed_.reset();
    iteration_ = iteration.number();
  }
  std::span<const Index> all_samples();
  /// The current minibatch of the iteration, which is drawn if there is none yet.
  std::span<const Index> minibatch(const Iteration<Scalar>& iteration);
  /// Draws another minibatch.
  void next_minibatch(const Iteration<Scalar>& iteration);

  /// Notes which gradient to compute. `point` and `samples` must not move until it is computed.
  void request(const Vector<Scalar>& point, std::span<const Index> samples);
  std::uint64_t requested_samples() const { return samples_.size(); }
  /// How much work the requested gradient is, in gradients of a minibatch.
  double work() const;
  /// Computes the requested gradient, and scales it down to the norm `clip` if it is longer. A gradient whose
  /// norm is not finite stays as it is: the run has diverged.
  void compute();
  const Vector<Scalar>& gradient() const { return gradient_; }

 private:
  const Objective<Scalar>& objective_;
  std::optional<std::uint64_t> batch_;
  std::optional<double> clip_;
  const Vector<Scalar>* point_ = nullptr;
  std::span<const Index> samples_;
  Vector<Scalar> gradient_;
  std::vector<Index> all_samples_;     // empty until they are asked for
  std::optional<RandomStream> draws_;  // of this iteration; empty until its first minibatch is drawn
  std::vector<Index> minibatch_;
  std::uint64_t iteration_ = 0;
  std::optional<RandomStream> seeds_;  // of this iteration's minibatches
  std::optional<std::uint64_t> seed_;  // of the current one; empty until its first gradient
};

}  // namespace hearsay
