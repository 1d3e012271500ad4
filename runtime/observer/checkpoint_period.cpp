#include "runtime/observer/checkpoint_period.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay {

std::uint32_t checkpoint_every_for(Duration period, const std::vector<Evaluation>& evaluations) {
  if (period <= Duration{0} || evaluations.size() < 2) return 0;
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  const Evaluation& first = evaluations[1];
  const double iterations = seconds(period) * static_cast<double>(first.iteration) / first.seconds;
  return std::isfinite(iterations) ? static_cast<std::uint32_t>(std::clamp(std::round(iterations), 1.0, most))
                                   : std::numeric_limits<std::uint32_t>::max();
}

std::uint64_t first_checkpoint(const RunSettings::Failure& failure, std::uint64_t evaluate_every,
                               const std::vector<Evaluation>& evaluations) {
  if (failure.checkpoint_every != 0) return failure.checkpoint_every;
  const std::uint64_t every = checkpoint_every_for(failure.checkpoint_period, evaluations);
  if (every == 0) return std::numeric_limits<std::uint64_t>::max();
  return (2 * evaluate_every / every + 1) * every;  // the first multiple beyond iteration 2 evaluate_every
}

std::optional<std::uint64_t> newest_common(std::span<const std::vector<std::uint64_t>> held) {
  std::optional<std::uint64_t> newest;
  if (held.empty()) return newest;
  for (const std::uint64_t iteration : held.front()) {
    const bool everywhere = std::ranges::all_of(held, [&](const std::vector<std::uint64_t>& one) {
      return std::ranges::find(one, iteration) != one.end();
    });
    if (everywhere && (!newest || *newest < iteration)) newest = iteration;
  }
  return newest;
}

}  // namespace hearsay
