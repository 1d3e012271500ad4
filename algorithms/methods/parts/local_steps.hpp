#pragma once

#include <functional>
#include <memory>

#include "algorithms/arithmetic/blocks.hpp"
#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The local part of an iteration: H steps of a local optimizer (algorithm.local_steps, algorithm.optimizer)
/// from x_i, each on a minibatch of its own. sgd takes no memory for H = 1, and d for the point otherwise. In
/// a method:
///
///     co_await local_.steps(it, x_);
///     ... local_.add_to(x_);                    // before the next gradient is asked for
///     co_await local_.ahead(it, x_);            // while messages travel, if x_i is the next iteration's
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

  template <class Change>
  class Steps;
  /// co_await local_.steps(it, x): the H steps, from x on, which the method does not change before the last
  /// `add_to`.
  auto steps(Iteration<Scalar>& it, const Vector<Scalar>& x) {
    begin(x);
    return Steps<std::identity>(*this, it, {});
  }
  /// The same by `changed(gradient)` instead of the gradient, a vector that stays until `add_to`.
  template <class Change>
  Steps<Change> steps(Iteration<Scalar>& it, const Vector<Scalar>& x, const Change& changed) {
    begin(x);
    return {*this, it, changed};
  }
  /// co_await local_.ahead(it, x): the gradient of the next iteration's first step, at x, which the method
  /// does not change until then. Ends the use of this iteration's steps.
  auto ahead(Iteration<Scalar>& it, const Vector<Scalar>& x) {
    begin(x);
    return it.gradient_ahead(point());
  }
  /// The point at which the gradient is taken.
  const Vector<Scalar>& point() const { return steps_ > 1 ? point_ : *start_; }

  /// into += the sum of the steps. `into` may be the x of `begin`.
  void add_to(Vector<Scalar>& into) const { add_to(into, {0, into.size()}); }
  /// The same in one block of `into`.
  void add_to(Vector<Scalar>& into, Block block) const {
    if (steps_ > 1)
      part(into, block) += part(point_, block) - part(*start_, block);
    else if (step_.size() != 0)
      part(into, block) += part(step_, block);
    else
      part(into, block) -= step_size_ * part(*gradient_, block);
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
  void begin(const Vector<Scalar>& x) {
    start_ = &x;
    taken_ = 0;
    if (steps_ > 1) point_ = x;
  }

  /// Takes a step by `gradient`, the one at point().
  void take(Iteration<Scalar>& it, const Vector<Scalar>& gradient) {
    gradient_ = &gradient;
    step_size_ = it.step_size();
    if (step_.size() != 0) optimizer_->step(point(), gradient, step_size_, step_);
    if (steps_ > 1 && step_.size() != 0) point_ += step_;
    if (steps_ > 1 && step_.size() == 0) point_ -= step_size_ * gradient;
    if (++taken_ < steps_) it.next_minibatch();
  }

  std::uint64_t steps_;  // H
  std::unique_ptr<LocalOptimizer<Scalar>> optimizer_;
  std::uint64_t taken_ = 0;
  const Vector<Scalar>* start_ = nullptr;
  const Vector<Scalar>* gradient_ = nullptr;
  Scalar step_size_ = 0;
  Vector<Scalar> step_;
  Vector<Scalar> point_;
};

/// The local steps of one iteration.
template <class Scalar>
template <class Change>
class LocalSteps<Scalar>::Steps final : public StepsOf<typename LocalSteps<Scalar>::template Steps<Change>> {
 public:
  Steps(LocalSteps& local, Iteration<Scalar>& it, const Change& changed)
      : local_(local), it_(it), changed_(changed) {}

  bool has_more() const { return local_.taken_ < local_.steps_; }
  bool begin_step() { return it_.request_gradient(local_.point()); }
  void end_step() { local_.take(it_, changed_(it_.requested_gradient())); }

 private:
  LocalSteps& local_;
  Iteration<Scalar>& it_;
  Change changed_;
};

}  // namespace hearsay
