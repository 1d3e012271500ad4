#include "algorithms/stability/outer_gossip_limit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Returns gamma (I - W) x in the round.
Vector<double> pull(const Vector<double>& x, double gamma, const Schedule& schedule, std::uint64_t round) {
  Vector<double> result = Vector<double>::Zero(x.size());
  for (PeerId i = 0; i < schedule.peer_count(); ++i)
    for (const auto& [j, weight] : schedule.row(i, round).hears) result[i] += gamma * weight * (x[i] - x[j]);
  return result;
}

}  // namespace

double smallest_eigenvalue_needed(const MethodInfo& method, const MethodOptions& options) {
  if (!method.outer_gossip) return method.smallest_eigenvalue_above;
  const OuterGossip gossip = method.outer_gossip(options);
  const double most = gossip.mixed ? 1 + 1 / (1 + 2 * gossip.momentum) : 2 * (1 + gossip.momentum);
  return 1 - most / gossip.consensus_step;
}

double growth_per_round(const OuterGossip& gossip, const Schedule& schedule) {
  const PeerId n = schedule.peer_count();
  if (n < 2) return 0.0;
  constexpr double most_weights = 6e7;
  double weights = 0.0;
  for (PeerId i = 0; i < n; ++i) weights += 1.0 + static_cast<double>(schedule.row(i, 0).hears.size());
  const auto rounds = static_cast<std::uint64_t>(std::clamp(most_weights / weights, 20.0, 600.0));

  Vector<double> x(n);
  RandomStream random(1, 0, 0, Purpose::data);
  for (double& entry : x) entry = random.normal();
  Vector<double> m = Vector<double>::Zero(n);
  double log_size = 0.0;
  double log_size_at_half = 0.0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (gossip.mixed) {
      const Vector<double> v = x + gossip.momentum * m;
      const Vector<double> next = v - pull(v, gossip.consensus_step, schedule, round);
      m = next - x;
      x = next;
    } else {
      m = gossip.momentum * m - pull(x, gossip.consensus_step, schedule, round);
      x += m;
    }
    // Roundings must not pile up in the mean, which is 0.
    x.array() -= x.mean();
    m.array() -= m.mean();
    const double size = std::sqrt(x.squaredNorm() + m.squaredNorm());
    if (!(size > 1e-200)) return 0.0;  // the peers agree exactly
    x /= size;
    m /= size;
    log_size += std::log(size);
    if (round + 1 == rounds / 2) log_size_at_half = log_size;
  }
  return std::exp((log_size - log_size_at_half) / static_cast<double>(rounds - rounds / 2));
}

double largest_consensus_step(OuterGossip gossip, const Schedule& schedule) {
  const auto agrees = [&](int hundredths) {
    gossip.consensus_step = hundredths / 100.0;
    return growth_per_round(gossip, schedule) < 1.0;
  };
  int stable = 0;
  for (int unstable = 201; unstable - stable > 1;) {
    const int middle = (stable + unstable) / 2;
    (agrees(middle) ? stable : unstable) = middle;
  }
  return stable / 100.0;
}

std::string disagreement(const MethodInfo& method, const MethodOptions& options, const Schedule& schedule) {
  if (!method.outer_gossip) return "";
  const OuterGossip gossip = method.outer_gossip(options);
  if (growth_per_round(gossip, schedule) < 1.0) return "";
  const double largest = largest_consensus_step(gossip, schedule);
  return method.name + " with outer = \"" + options[option::outer] +
         "\" drives the peers of this schedule apart, whatever the gradients; expected " +
         (largest > 0.0 ? number_text(largest) + " or less, or " : "") + "a smaller beta";
}

}  // namespace hearsay
