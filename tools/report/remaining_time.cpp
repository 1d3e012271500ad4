#include "tools/report/remaining_time.hpp"

#include <cmath>

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

double number_or_nan(const Json& evaluation, const char* key) {
  const auto found = evaluation.find(key);
  return found != evaluation.end() && found->is_number() ? found->get<double>() : std::nan("");
}

/// Returns how many iterations the loss still takes to the target. Empty if it does not fall.
std::optional<double> iterations_to(double target, const Course& course) {
  const Json& last = course.back();
  const double end = number_or_nan(last, "iteration");
  // The last half by iterations: the earlier ones fall faster.
  const Json* middle = &course.front();
  for (const Json& evaluation : course)
    if (number_or_nan(evaluation, "iteration") <= end / 2.0) middle = &evaluation;
  const double iterations = end - number_or_nan(*middle, "iteration");
  const double fall = std::log(number_or_nan(*middle, "loss") / number_or_nan(last, "loss"));
  const double wanted = std::log(number_or_nan(last, "loss") / target);
  if (!(iterations > 0.0 && fall > 0.0 && wanted >= 0.0 && std::isfinite(wanted))) return std::nullopt;
  return wanted / fall * iterations;
}

}  // namespace

std::optional<RemainingTime> remaining_time(const Course& course, std::uint64_t from,
                                            std::uint64_t iterations, std::optional<double> target_loss,
                                            double elapsed) {
  if (course.empty()) return std::nullopt;
  const double done = number_or_nan(course.back(), "iteration") - static_cast<double>(from);
  if (!(done > 0.0)) return std::nullopt;
  const double seconds_per_iteration = elapsed / done;
  const double left =
      std::fmax(0.0, static_cast<double>(iterations) - number_or_nan(course.back(), "iteration"));
  RemainingTime time{left * seconds_per_iteration, std::nullopt};
  if (!target_loss) return time;
  if (const auto to_target = iterations_to(*target_loss, course); to_target && *to_target < left)
    time.to_target = *to_target * seconds_per_iteration;
  return time;
}

}  // namespace hearsay
