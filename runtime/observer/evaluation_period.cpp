#include "runtime/observer/evaluation_period.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay {

namespace {

/// The first two evaluations after that of x_0 are at iterations 1 and 2.
constexpr std::uint32_t first_apart = 1;

/// Returns how far the second of the coming evaluations is from the first.
std::uint32_t evaluations_apart(Duration period, std::span<const Evaluation> evaluations) {
  if (evaluations.size() < 2) return first_apart;
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  const Evaluation& last = evaluations.back();
  const Evaluation& before = evaluations[evaluations.size() - 2];
  const auto iterations = static_cast<double>(last.iteration - before.iteration);
  const double took = last.seconds - before.seconds;
  // The clock of a resumed run may stand before that of the record.
  const double wanted = took >= 0.0 ? seconds(period) * iterations / took : iterations;
  const double limit = std::min(most, 4.0 * iterations);
  return static_cast<std::uint32_t>(std::clamp(std::round(std::min(wanted, limit)), 1.0, limit));
}

}  // namespace

std::array<std::uint64_t, 2> next_evaluations(Duration period, std::span<const Evaluation> evaluations) {
  const std::uint64_t next = evaluations.size() < 2
                                 ? first_apart
                                 : evaluations.back().iteration +
                                       evaluations_apart(period, evaluations.first(evaluations.size() - 1));
  return {next, next + evaluations_apart(period, evaluations)};
}

Announced announced_evaluations(Duration period, std::span<const Evaluation> evaluations,
                                std::uint64_t evaluated) {
  if (period == Duration{0}) return {};
  const auto end = std::ranges::upper_bound(evaluations, evaluated, {}, &Evaluation::iteration);
  const auto [next, second] =
      next_evaluations(period, evaluations.first(static_cast<std::size_t>(end - evaluations.begin())));
  return {.to_next = static_cast<std::uint32_t>(next - evaluated),
          .to_second = static_cast<std::uint32_t>(second - next)};
}

}  // namespace hearsay
