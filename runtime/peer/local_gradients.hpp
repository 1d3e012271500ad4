#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/iteration.hpp"
#include "runtime/peer/sample_passes.hpp"

namespace hearsay {

/// Which samples the minibatches of a peer hold.
struct Minibatches {
  std::optional<std::uint64_t> size;  ///< samples of each; empty: all local samples
  bool shuffled = false;              ///< drawn in passes (SamplePasses); otherwise with replacement
  std::uint64_t per_iteration = 1;    ///< H: how many an iteration draws; read if shuffled
};

/// The gradients of one peer: draws the minibatches, and computes the gradient that the method asked for.
template <class Scalar>
class LocalGradients {
 public:
  /// `clip`: the largest Euclidean norm of a gradient; empty: any. `objective` must outlive this object.
  LocalGradients(const Objective<Scalar>& objective, const Minibatches& minibatches,
                 std::optional<double> clip, Index dimension)
      : objective_(objective), minibatches_(minibatches), clip_(clip), gradient_(dimension) {}

  /// Turns to the minibatches of the iteration, unless `request_ahead` has done so.
  void begin_iteration(const Iteration<Scalar>& iteration) {
    if (iteration_ != iteration.number()) turn_to(iteration.number(), iteration);
  }
  std::span<const Index> all_samples();
  /// The current minibatch of the iteration, which is drawn if there is none yet.
  std::span<const Index> minibatch(const Iteration<Scalar>& iteration);
  /// Draws another minibatch.
  void next_minibatch(const Iteration<Scalar>& iteration);

  /// Notes which gradient to compute. `point` and `samples` must not move until it is computed.
  void request(const Vector<Scalar>& point, std::span<const Index> samples);
  /// Notes that the first gradient of the iteration after this one is to be computed at `point`, and turns to
  /// its minibatches. `point` must not move until it is asked for.
  void request_ahead(const Iteration<Scalar>& iteration, const Vector<Scalar>& point);
  /// The iteration whose minibatches are drawn.
  std::uint64_t iteration() const { return iteration_; }
  /// True if the gradient requested last is that of the next iteration.
  bool is_ahead() const { return ahead_at_ != nullptr; }
  /// True if it is the one at this point.
  bool is_ahead_at(const Vector<Scalar>& point) const { return is_ahead() && ahead_at_ == point.data(); }
  /// True if the gradient that is asked for was computed ahead. `gradient` is that gradient, then.
  bool take_ahead(const Vector<Scalar>& point, std::span<const Index> samples);
  std::uint64_t requested_samples() const { return samples_.size(); }
  /// How much work the requested gradient is, in gradients of a minibatch.
  double work() const;
  /// Computes the requested gradient, and scales it down to the norm `clip` if it is longer. A gradient whose
  /// norm is not finite stays as it is: the run has diverged.
  void compute();
  const Vector<Scalar>& gradient() const { return gradient_; }
  /// Swaps the computed gradient with `other`, the storage of the next one.
  void swap_gradient(Vector<Scalar>& other);
  /// Why the computed gradient is the first number of the run that is not finite; empty if it is finite, or
  /// if it was computed at a point that is not.
  std::optional<std::string> defect() const;

 private:
  /// Turns to the minibatches of iteration `number`, this one or the next.
  void turn_to(std::uint64_t number, const Iteration<Scalar>& iteration);

  const Objective<Scalar>& objective_;
  Minibatches minibatches_;
  std::optional<double> clip_;
  const Vector<Scalar>* point_ = nullptr;
  const Scalar* ahead_at_ = nullptr;  // the numbers of *point_, if the gradient is the next iteration's
  std::span<const Index> samples_;
  Vector<Scalar> gradient_;
  std::vector<Index> all_samples_;        // empty until they are asked for
  std::uint64_t drawn_ = 0;               // minibatches of `iteration_`
  std::unique_ptr<RandomStream> draws_;   // of `iteration_`, with replacement; null until the first one
  std::unique_ptr<SamplePasses> passes_;  // if shuffled; null until the first minibatch
  std::vector<Index> minibatch_;
  std::uint64_t iteration_ = 0;        // whose minibatches are drawn
  double step_size_ = 0.0;             // of `iteration_`
  std::optional<RandomStream> seeds_;  // of its minibatches
  std::optional<std::uint64_t> seed_;  // of the current one; empty until its first gradient
};

}  // namespace hearsay
