#include "tools/sweep/tuned_choice.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tools/sweep/sweep_cells.hpp"

namespace hearsay {

namespace {

/// How a candidate did. Seconds are often equal, since they are those of an evaluation: then the loss
/// decides.
struct Score {
  std::size_t count = 0;  ///< of the seeds that did what they should
  double mean = 0.0;      ///< of what that took
  double loss = 0.0;      ///< mean at the end

  bool is_better_than(const Score& other) const {
    if (count != other.count) return count > other.count;
    if (mean != other.mean) return mean < other.mean;
    return loss < other.loss;
  }
};

Score score_of(const SweepCell& cell, const char* figure) {
  const Estimate estimate = cell.figure(figure);
  return {estimate.count, estimate.mean, cell.figure("loss").mean};
}

/// Returns the best candidate; null if none did what it should with any seed.
const SweepCell* best_of(const std::vector<const SweepCell*>& candidates, const char* figure) {
  const SweepCell* best = nullptr;
  Score least;
  for (const SweepCell* const candidate : candidates) {
    const Score score = score_of(*candidate, figure);
    if (score.count == 0 || (best && !score.is_better_than(least))) continue;
    best = candidate;
    least = score;
  }
  return best;
}

}  // namespace

std::vector<TunedChoice> tuned_choices(const Sweep& sweep, const Sweep& tuning,
                                       const std::vector<SweepRow>& rows) {
  const std::vector<SweepCell> cells = cells_of(tuning, rows);
  std::vector<std::pair<TunedValues, std::vector<const SweepCell*>>> places;  // with the candidates
  for (const SweepCell& cell : cells) {
    // The tuned axes stand behind the others.
    const auto begin_of_tuned = cell.point().axes.end() - static_cast<std::ptrdiff_t>(sweep.tuned.size());
    const decltype(SweepPoint::axes) axes(cell.point().axes.begin(), begin_of_tuned);
    if (places.empty() || places.back().first.variant != cell.point().variant ||
        places.back().first.axes != axes)
      places.push_back({{cell.point().variant, axes, {}}, {}});
    places.back().second.push_back(&cell);
  }
  std::vector<TunedChoice> choices;
  for (auto& [place, candidates] : places) {
    const bool has_target = candidates.front()->point().run.run.target_loss.has_value();
    TunedChoice choice{std::move(place), {}};
    const SweepCell* best = has_target ? best_of(candidates, "seconds_to_target") : nullptr;
    if (!best) {
      best = best_of(candidates, "loss");
      if (!best)
        choice.reservation = "no candidate came to its end with the tuning seeds, so the first was taken";
      else if (has_target)
        choice.reservation =
            "no candidate reached the target with the tuning seeds, so the least loss decided";
    }
    if (!best) best = candidates.front();
    const auto& all = best->point().axes;
    choice.values.values.assign(all.end() - static_cast<std::ptrdiff_t>(sweep.tuned.size()), all.end());
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace hearsay
