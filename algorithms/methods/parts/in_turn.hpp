#pragma once

#include "algorithms/seam/task.hpp"

namespace hearsay {

/// Two waits of several steps at the same time: a step of the first, a step of the second, and so on. If one
/// of them has no step left, the steps of the other follow. In a method:
///
///     auto sum = ring_.sum(it, view(sum_));
///     auto rest = gather_.rest(it);
///     co_await InTurn(sum, rest);
template <class First, class Second>
class InTurn final : public StepsOf<InTurn<First, Second>> {
 public:
  InTurn(First& first, Second& second) : first_(first), second_(second) {}

  bool has_more() const { return first_.has_more() || second_.has_more(); }
  bool begin_step() {
    in_first_ = !second_.has_more() || (!in_first_ && first_.has_more());
    return in_first_ ? first_.begin_step() : second_.begin_step();
  }
  void end_step() { in_first_ ? first_.end_step() : second_.end_step(); }

 private:
  First& first_;
  Second& second_;
  bool in_first_ = false;  // the step that was begun last
};

}  // namespace hearsay
