#pragma once

#include <memory>

#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The local part of an iteration: H steps of a local optimizer (algorithm.local_steps, algorithm.optimizer)
/// from x_i, each on a minibatch of its own. sgd takes no memory for H = 1, and d for the point otherwise. In
/// a method:
///
///     local_.begin(x_);
///     for (bool more = true; more;) {
///       const Vector<Scalar>& gradient = co_await it.gradient(local_.point());
///       more = local_.take(it, gradient);
///     }
///     ... local_.add_to(x_);                    // before the next gradient is asked for
template <class Scalar>
class LocalSteps {
 public:
  explicit LocalSteps(const MethodInput<Scalar>& input)
      : steps_(input.options[option::local_steps]),
        optimizer_(make_local_optimizer<Scalar>(input.options[option::optimizer], input.initial.size(),
                                                input.segments)) {
    if (steps_ > 1) point_.resize(input.initial.size());
    if (!optimizer_->is_sgd()) step_.resize(input.initial.size());
  }

  /// Starts at x, which the method does not change before the last `add_to`.
  void begin(const Vector<Scalar>& x) {
    start_ = &x;
    taken_ = 0;
    if (steps_ > 1) point_ = x;
  }
  /// The point at which the next gradient is to be taken.
  const Vector<Scalar>& point() const { return steps_ > 1 ? point_ : *start_; }

  /// Takes a step by `gradient`, the gradient at point(). True if more steps follow.
  bool take(Iteration<Scalar>& it, const Vector<Scalar>& gradient) {
    gradient_ = &gradient;
    step_size_ = it.step_size();
    if (step_.size() != 0) optimizer_->step(point(), gradient, step_size_, step_);
    if (steps_ > 1 && step_.size() != 0) point_ += step_;
    if (steps_ > 1 && step_.size() == 0) point_ -= step_size_ * gradient;
    if (++taken_ == steps_) return false;
    it.next_minibatch();
    return true;
  }

  /// into += the sum of the steps. `into` may be the x of `begin`.
  void add_to(Vector<Scalar>& into) const {
    if (steps_ > 1)
      into += point_ - *start_;
    else if (step_.size() != 0)
      into += step_;
    else
      into -= step_size_ * *gradient_;
  }

  /// The optimizer's state as before the first step.
  void begin_anew() { optimizer_->begin_anew(); }
  /// Visits the optimizer's state alone.
  void visit_optimizer(StateVisitor<Scalar>& visitor) { optimizer_->visit_state(visitor); }

  void visit(StateVisitor<Scalar>& visitor) {
    optimizer_->visit_state(visitor);
    if (step_.size() != 0) visitor.scratch("local step", step_);
    if (steps_ > 1) visitor.scratch("local point", point_);
  }

 private:
  std::uint64_t steps_;  // H
  std::unique_ptr<LocalOptimizer<Scalar>> optimizer_;
  std::uint64_t taken_ = 0;
  const Vector<Scalar>* start_ = nullptr;
  const Vector<Scalar>* gradient_ = nullptr;
  Scalar step_size_ = 0;
  Vector<Scalar> step_;
  Vector<Scalar> point_;
};

}  // namespace hearsay
