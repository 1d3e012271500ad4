#include "tools/advise/loss_tail.hpp"

#include <cmath>
#include <limits>

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

std::optional<LossOutlook> outlook(std::span<const Evaluation> evaluations, double target) {
  const std::size_t part = (evaluations.size() - evaluations.size() / 2) / 3;
  if (part == 0) return std::nullopt;
  // Parts of one evaluation are too noisy to tell that the loss levels off.
  const auto levels_off = [&](double floor) {
    return part > 1 ? std::optional(LossOutlook{{}, floor}) : std::nullopt;
  };
  const auto tail = evaluations.last(3 * part);
  const Mean a(tail.first(part));
  const Mean b(tail.subspan(part, part));
  const Mean c(tail.last(part));
  const double length = c.iteration - b.iteration;
  const double fall = b.loss - c.loss;
  if (!(fall > 0.0)) return levels_off(c.loss);
  const double q = fall / (a.loss - b.loss);
  if (!(q > 0.0 && q < 1.0))
    return LossOutlook{c.iteration + length * (c.loss - target) / fall,
                       -std::numeric_limits<double>::infinity()};
  const double rest = fall * q / (1.0 - q);
  if (c.loss - rest >= target) return levels_off(c.loss - rest);
  const double parts = std::log1p(-(c.loss - target) / rest) / std::log(q);
  return LossOutlook{c.iteration + length * parts, c.loss - rest};
}

}  // namespace hearsay
