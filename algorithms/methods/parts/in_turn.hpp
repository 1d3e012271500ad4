#pragma once

#include "algorithms/seam/task.hpp"

namespace hearsay {

/// Two waits of several steps at the same time: a step of the first, a step of the second, and so on. If one
/// of them has no step left, the steps of the other follow. In a method:
///
///     auto sum = ring_.sum(it, view(sum_));
///     auto rest = gather_.rest(it);
///     co_await InTurn(sum, rest);
class InTurn final : public StepwiseWait {
 public:
  InTurn(StepwiseWait& first, StepwiseWait& second) : first_(first), second_(second) {}

  bool has_more() const override { return first_.has_more() || second_.has_more(); }
  bool begin_step() override {
    in_first_ = !second_.has_more() || (!in_first_ && first_.has_more());
    return begun().begin_step();
  }
  void end_step() override { begun().end_step(); }

 private:
  StepwiseWait& begun() const { return in_first_ ? first_ : second_; }

  StepwiseWait& first_;
  StepwiseWait& second_;
  bool in_first_ = false;  // the step that was begun last
};

}  // namespace hearsay
