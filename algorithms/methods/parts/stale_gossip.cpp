#include "algorithms/methods/parts/stale_gossip.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

// A peer keeps this many of its models, and this many messages of every neighbor.
constexpr std::uint64_t most_staleness = 100;

/// Returns the value rounded down to 4 decimals, so that the advised value is allowed.
std::string at_most(double value) { return number_text(std::floor(1e4 * value + 1e-6) / 1e4); }

/// Returns the settings that would be sound, for a message. `fastest` is 1 - lambda_n.
std::string remedy(double step, double fastest, std::uint64_t staleness) {
  std::uint64_t allowed = staleness;
  while (allowed > 0 && step * fastest >= consensus_limit_of(allowed)) --allowed;
  return "; expected " +
         (allowed > 0 ? "algorithm.staleness = " + std::to_string(allowed) + " or less, or "
                      : std::string()) +
         "algorithm.consensus_step below " + at_most(consensus_limit_of(staleness) / fastest);
}

}  // namespace

double consensus_limit_of(std::uint64_t staleness) {
  return 2.0 * std::sin(std::numbers::pi / (2.0 * (2.0 * static_cast<double>(staleness) + 1.0)));
}

void check_staleness(const RunView& view, Advice& advice) {
  const std::uint64_t staleness = view.options[option::staleness];
  const double step = view.options.find(option::consensus_step).value_or(1.0);
  if (staleness == 0 && step <= 1.0) return;

  const std::string key = staleness > 0 ? "algorithm.staleness" : "algorithm.consensus_step";
  const std::string value = staleness > 0 ? std::to_string(staleness) : three_digits(step);
  if (staleness > most_staleness)
    advice.refuse(key, value, "expected at most " + std::to_string(most_staleness) + " iterations");
  if (view.links_vary())
    advice.refuse(key, value,
                  "it needs the same links in every round; expected topology.schedule = \"static\" with "
                  "topology.participation = 1, or algorithm.staleness = 0 and a consensus step of at most 1");
  if (!view.mixing.symmetric())
    advice.refuse(
        key, value,
        "both ends of a link apply the same difference, which needs symmetric weights; expected other "
        "topology.weights, or algorithm.staleness = 0 and a consensus step of at most 1");
  if (view.peer_count() == 1) return;
  const double fastest = 1.0 - spectrum(view.mixing).smallest;
  const double limit = consensus_limit_of(staleness);
  constexpr double rounding = 1e-9;
  if (step * fastest < limit - rounding) return;
  advice.unsound(key, value,
                 "the peers come to agree where consensus_step (1 - lambda_n) is below " +
                     three_digits(limit) + ", and here it is " + three_digits(step) + " x " +
                     three_digits(fastest) + remedy(step, fastest, staleness));
}

}  // namespace hearsay
