#include "tools/report/live_course.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

std::uint64_t LiveCourse::iteration_of(const nlohmann::ordered_json& evaluation) {
  return evaluation.at("iteration").get<std::uint64_t>();
}

bool LiveCourse::is_kept(const nlohmann::ordered_json& evaluation) const {
  return iteration_of(evaluation) / interval_ % stride_ == 0;
}

void LiveCourse::append(nlohmann::ordered_json evaluation) {
  const std::uint64_t iteration = iteration_of(evaluation);
  while (!empty() && last_iteration() >= iteration) kept_.pop_back();
  // It was there as the last only. The first stays, wherever a resumed run begins.
  if (kept_.size() > 1 && !is_kept(*kept_.back())) kept_.pop_back();
  kept_.push_back(std::make_shared<const nlohmann::ordered_json>(std::move(evaluation)));
  while (kept_.size() > most_evaluations_shown) {
    stride_ *= 2;
    kept_.erase(std::remove_if(kept_.begin() + 1, kept_.end() - 1,
                               [this](const auto& earlier) { return !is_kept(*earlier); }),
                kept_.end() - 1);
  }
}

Course LiveCourse::evaluations() const {
  Course course;
  for (const auto& evaluation : kept_) course.push_back(*evaluation);
  return course;
}

}  // namespace hearsay
