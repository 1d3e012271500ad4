#include "algorithms/objectives/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

using Parts = std::vector<std::vector<Index>>;

void shuffle(std::vector<Index>& items, RandomStream& stream) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[stream.below(i)]);
}

/// Contiguous blocks whose sizes differ by at most 1.
Parts deal(const std::vector<Index>& order, std::size_t peers) {
  Parts parts(peers);
  for (std::size_t i = 0; i < peers; ++i)
    parts[i].assign(order.begin() + static_cast<std::ptrdiff_t>(order.size() * i / peers),
                    order.begin() + static_cast<std::ptrdiff_t>(order.size() * (i + 1) / peers));
  return parts;
}

/// log of a Gamma(shape, 1) variate. Marsaglia and Tsang 2000 for shape >= 1; below, Gamma(shape + 1)
/// U^(1/shape), in logarithms because the power underflows for small shapes.
double log_gamma_variate(double shape, RandomStream& stream) {
  if (shape < 1.0) {
    const double boosted = log_gamma_variate(shape + 1.0, stream);
    return boosted + std::log(1.0 - stream.uniform()) / shape;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double normal = stream.normal();
    const double root = 1.0 + c * normal;
    if (root <= 0.0) continue;
    const double cube = root * root * root;
    const double uniform = 1.0 - stream.uniform();
    if (std::log(uniform) < 0.5 * normal * normal + d - d * cube + d * std::log(cube))
      return std::log(d) + std::log(cube);
  }
}

/// p ~ Dirichlet(concentration, ..., concentration)
std::vector<double> dirichlet_shares(double concentration, std::size_t peers, RandomStream& stream) {
  std::vector<double> shares(peers);
  for (double& share : shares) share = log_gamma_variate(concentration, stream);
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0.0;
  for (double& share : shares) sum += share = std::exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

Parts dirichlet(double concentration, std::span<const double> targets, std::uint32_t class_count,
                std::size_t peers, std::uint64_t seed) {
  std::vector<std::vector<Index>> members(class_count);
  for (std::size_t s = 0; s < targets.size(); ++s)
    members.at(static_cast<std::size_t>(targets[s])).push_back(static_cast<Index>(s));
  Parts parts(peers);
  for (std::uint32_t k = 0; k < class_count; ++k) {
    RandomStream stream(seed, 0, k, Purpose::partition);
    const std::vector<double> shares = dirichlet_shares(concentration, peers, stream);
    shuffle(members[k], stream);
    const auto count = static_cast<double>(members[k].size());
    double cumulative = 0.0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < peers; ++i) {
      cumulative += shares[i];
      const std::size_t end = i + 1 == peers
                                  ? members[k].size()
                                  : std::clamp(static_cast<std::size_t>(std::llround(cumulative * count)),
                                               begin, members[k].size());
      parts[i].insert(parts[i].end(), members[k].begin() + static_cast<std::ptrdiff_t>(begin),
                      members[k].begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  }
  return parts;
}

double concentration_of(const std::string& key, std::string_view text, const Spelling& spelling) {
  double value = 0.0;
  // Beyond these bounds the shares are 0 and 1, or all equal, to the last digit.
  if (spelling.arguments.size() != 1 || !parse_number(spelling.arguments[0], value) ||
      !(value >= 1e-6 && value <= 1e12))
    throw Misuse(key, std::string(text),
                 "dirichlet takes one positive number (from 1e-6 to 1e12), as in dirichlet(0.3)");
  return value;
}

const Choice choices[] = {
    {"iid", "", "a random permutation of the samples, split evenly"},
    {"by-label", "", "sorted by target and cut into contiguous blocks, the hardest split"},
    {"dirichlet", "(alpha)",
     "of every class, Dirichlet(alpha) shares; small alpha concentrates a class on few peers"},
    {"home", "", "none: every peer has data of its own"},
};

}  // namespace

void require_shared(std::string_view spelling, std::size_t samples, std::size_t peers) {
  if (samples < peers)
    throw Misuse(
        "data.partition", std::string(spelling),
        std::to_string(samples) + " samples cannot be shared by " + std::to_string(peers) + " peers");
}

std::vector<std::vector<Index>> partition(std::string_view spelling, std::span<const double> targets,
                                          std::uint32_t class_count, std::size_t peers, std::uint64_t seed) {
  ensure(peers >= 1, "samples are shared by at least one peer");
  const std::string key = "data.partition";
  const std::string text(spelling);
  const Spelling parsed = parse_spelling(key, spelling);
  find_choice(key, parsed.name, choices);
  if (parsed.name != "dirichlet" && !parsed.arguments.empty())
    throw Misuse(key, text, "only dirichlet takes an argument");
  if (parsed.name == "home") throw Misuse(key, text, "the peers have their samples, and none are divided");
  require_shared(spelling, targets.size(), peers);

  std::vector<Index> order(targets.size());
  std::iota(order.begin(), order.end(), Index{0});
  Parts parts;
  if (parsed.name == "iid") {
    RandomStream stream(seed, 0, 0, Purpose::partition);
    shuffle(order, stream);
    parts = deal(order, peers);
  } else if (parsed.name == "by-label") {
    const auto target = [&](Index s) { return targets[static_cast<std::size_t>(s)]; };
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return target(a) < target(b); });
    parts = deal(order, peers);
  } else {
    const double concentration = concentration_of(key, spelling, parsed);
    if (class_count == 0) throw Misuse(key, text, "dirichlet splits classes, and these targets are numbers");
    parts = dirichlet(concentration, targets, class_count, peers, seed);
  }
  for (auto& part : parts) std::sort(part.begin(), part.end());
  return parts;
}

std::span<const Choice> partition_choices() { return choices; }

}  // namespace hearsay
