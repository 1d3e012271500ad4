#include "runtime/peer/work_trace.hpp"

#include <algorithm>

namespace hearsay {

namespace {

/// How many of the last distinct iterations are compared. Schedules repeat after a few rounds, so equal
/// iterations are close; if the length of messages depends on the data, iterations are rarely equal at all.
constexpr std::size_t looked_at = 64;

}  // namespace

void WorkTrace::begin(std::uint64_t number) {
  keep_once();
  kept_.resize(number, none);
  kept_.back() = static_cast<std::uint32_t>(steps_.size());
  steps_.emplace_back();
}

void WorkTrace::keep_once() {
  if (steps_.empty()) return;
  const std::size_t last = steps_.size() - 1;
  for (std::size_t k = last - std::min(last, looked_at); k < last; ++k) {
    if (steps_[k] != steps_[last]) continue;
    if (kept_.back() == last) kept_.back() = static_cast<std::uint32_t>(k);
    steps_.pop_back();
    return;
  }
}

std::span<const WorkStep> WorkTrace::of(std::uint64_t number) const {
  if (number == 0 || number > kept_.size() || kept_[number - 1] == none) return {};
  return steps_[kept_[number - 1]];
}

std::uint64_t WorkTrace::largest_of(WorkStep::Kind kind) const {
  std::uint64_t most = 0;
  for (const std::vector<WorkStep>& steps : steps_)
    for (const WorkStep& step : steps)
      if (step.kind == kind) most = std::max(most, step.amount);
  return most;
}

}  // namespace hearsay
