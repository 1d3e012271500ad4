#include "algorithms/stability/dcd_limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hearsay {

namespace {

/// With more peers a step of the power iteration takes over a millisecond, and `self_weight_for` over a
/// second.
constexpr PeerId largest_dcd_power_iteration = 128;

}  // namespace

std::optional<DcdLimit> DcdLimit::of(const MixingMatrix& mixing) {
  std::optional<NoiseFeedback> feedback = NoiseFeedback::of(mixing);
  if (!feedback || (!feedback->peers_alike() && mixing.peer_count() > largest_dcd_power_iteration))
    return std::nullopt;
  DcdLimit limit(std::move(*feedback));
  for (PeerId id = 0; id < mixing.peer_count(); ++id)
    limit.smallest_self_weight_ = std::min(limit.smallest_self_weight_, mixing.row(id).self_weight);
  return limit;
}

/// Returns the gain of a I + (1 - a) W. Infinite if gossip with that matrix does not converge.
double DcdLimit::gain(double a) const {
  const auto lazy = [a](double lambda) { return a + (1.0 - a) * lambda; };
  const std::vector<double>& lambda = feedback_.eigenvalues();
  if (std::any_of(lambda.begin() + 1, lambda.end(),
                  [&](double value) { return std::abs(lazy(value)) > 1.0 - 1e-12; }))
    return std::numeric_limits<double>::infinity();
  return feedback_.gain([&](double lambda_k, double lambda_l) {
    const double k = lazy(lambda_k);
    const double l = lazy(lambda_l);
    return k == 1.0 || l == 1.0 ? 0.0 : (1.0 - k) * (1.0 - l) / (1.0 - k * l);
  });
}

double DcdLimit::omega(double a) const { return 1.0 / gain(a); }

double DcdLimit::self_weight_for(double wanted) const {
  double low = 0.0;
  double high = 1.0;
  // The tolerance is that of the printed digits.
  while (high - low > 1e-4) {
    const double middle = 0.5 * (low + high);
    (omega(middle) > wanted ? high : low) = middle;
  }
  return high + (1.0 - high) * smallest_self_weight_;
}

}  // namespace hearsay
