#include "runtime/settings/sweep_tuning.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

#include "runtime/toml/setting.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t to_tuning_seeds = 1'000'000;
constexpr std::size_t most_tuning_seeds = 3;

std::optional<double> number_of(const std::string& text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Sweep tuning_of(const Sweep& sweep) {
  std::set<std::uint64_t> reported;
  for (const SweepPoint& point : sweep.points) reported.insert(point.run.run.seed);
  Sweep tuning{
      sweep.driver, {}, sweep.output / tuning_folder, {}, std::min(sweep.repeats, most_tuning_seeds), {}};
  for (const SweepPoint& candidate : sweep.points) {
    if (candidate.repetition > 0) continue;
    const std::filesystem::path cell = sweep.repeats > 1 ? candidate.folder.parent_path() : candidate.folder;
    SweepPoint point = candidate;
    point.axes.insert(point.axes.end(), point.tuned.begin(), point.tuned.end());
    point.tuned.clear();
    const std::filesystem::path folder =
        (tuning.output / cell.lexically_relative(sweep.output)).lexically_normal() / candidate.tuned_folder;
    const std::uint64_t first = candidate.run.run.seed;
    if (first > Setting::largest_count - to_tuning_seeds - reported.size() - most_tuning_seeds)
      throw Misuse("run.seed", std::to_string(first),
                   "the seeds that sweep.tune chooses with count on from it; expected a smaller one");
    std::uint64_t seed = first + to_tuning_seeds;
    for (point.repetition = 0; point.repetition < tuning.repeats; ++point.repetition, ++seed) {
      while (reported.contains(seed)) ++seed;
      point.run.run.seed = seed;
      point.folder = tuning.repeats == 1 ? folder : folder / ("seed-" + std::to_string(seed));
      point.run.run.output = point.folder;
      tuning.points.push_back(point);
    }
  }
  return tuning;
}

Sweep with_tuned_values(const Sweep& sweep, const std::vector<TunedValues>& chosen) {
  std::set<std::tuple<std::string, decltype(SweepPoint::axes), decltype(SweepPoint::tuned)>> kept;
  for (const TunedValues& one : chosen) kept.emplace(one.variant, one.axes, one.values);
  Sweep tuned = sweep;
  std::erase_if(tuned.points, [&](const SweepPoint& point) {
    return !kept.contains({point.variant, point.axes, point.tuned});
  });
  return tuned;
}

bool is_at_the_edge(const TunedAxis& axis, const std::string& value) {
  std::vector<double> numbers;
  for (const std::string& text : axis.values)
    if (const auto number = number_of(text)) numbers.push_back(*number);
  const auto asked = number_of(value);
  if (!asked || numbers.size() < axis.values.size()) return false;
  return *asked == std::ranges::min(numbers) || *asked == std::ranges::max(numbers);
}

}  // namespace hearsay
