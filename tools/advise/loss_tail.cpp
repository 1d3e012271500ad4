#include "tools/advise/loss_tail.hpp"

#include <algorithm>
#include <cmath>

namespace hearsay {

namespace {

/// The mean iteration and the mean loss of consecutive evaluations.
struct Mean {
  explicit Mean(std::span<const Evaluation> part) {
    for (const Evaluation& evaluation : part) {
      iteration += static_cast<double>(evaluation.iteration) / static_cast<double>(part.size());
      loss += evaluation.loss / static_cast<double>(part.size());
    }
  }
  double iteration = 0.0;
  double loss = 0.0;
};

}  // namespace

LossOutlook outlook(std::span<const Evaluation> evaluations, double target) {
  const std::size_t part = (evaluations.size() - evaluations.size() / 2) / 3;
  LossOutlook outlook;
  if (part == 0) return outlook;
  const auto tail = evaluations.last(3 * part);
  const Mean a(tail.first(part));
  const Mean b(tail.subspan(part, part));
  const Mean c(tail.last(part));
  outlook.level = c.loss;
  const double length = c.iteration - b.iteration;
  const double fall = b.loss - c.loss;
  if (!(fall > 0.0)) {
    // Parts of one evaluation are too noisy to tell that the loss is level.
    if (part > 1) outlook.trend = LossOutlook::Trend::level;
    return outlook;
  }
  outlook.trend = LossOutlook::Trend::falling;
  const double way = c.loss - target;
  outlook.soonest = c.iteration + length * way / fall;
  outlook.latest = c.iteration * std::exp(way / fall * std::log(c.iteration / b.iteration));
  outlook.expected = outlook.latest;
  const double q = fall / (a.loss - b.loss);
  if (!(q > 0.0 && q < 1.0))
    outlook.expected = outlook.soonest;
  else if (const double rest = fall * q / (1.0 - q); rest > way)
    outlook.expected = c.iteration + length * std::log1p(-way / rest) / std::log(q);
  // The three agree if the target is next; further off, a loss that falls by a factor may be behind the
  // logarithm for a while.
  outlook.latest = std::max(outlook.latest, outlook.expected);
  return outlook;
}

}  // namespace hearsay
