#include "tools/report/live_course.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

void LiveCourse::append(nlohmann::ordered_json evaluation) {
  const auto iteration = evaluation.at("iteration").get<std::uint64_t>();
  while (!empty() && last_iteration() >= iteration) kept_.pop_back();
  const std::uint64_t number = empty() ? 0 : kept_.back().number + 1;
  // It was there as the last only. The first stays, wherever a resumed run begins.
  if (kept_.size() > 1 && !stays(kept_.back())) kept_.pop_back();
  kept_.push_back({number, iteration, std::make_shared<const nlohmann::ordered_json>(std::move(evaluation))});
  while (kept_.size() > most_evaluations_shown) {
    stride_ *= 2;
    kept_.erase(std::remove_if(kept_.begin() + 1, kept_.end() - 1,
                               [this](const Kept& earlier) { return !stays(earlier); }),
                kept_.end() - 1);
  }
}

Course LiveCourse::evaluations() const {
  Course course;
  for (const Kept& kept : kept_) course.push_back(*kept.evaluation);
  return course;
}

}  // namespace hearsay
