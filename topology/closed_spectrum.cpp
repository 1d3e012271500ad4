#include "topology/closed_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "topology/fixed_graphs.hpp"
#include "topology/translations.hpp"

namespace hearsay {
namespace {

constexpr double pi = std::numbers::pi;

bool mixes_the_same_everywhere(const MixingMatrix& mixing, const Moduli& moduli) {
  const std::vector<WeightedNeighbor>& pattern = mixing.row(0).hears;
  for (PeerId peer = 1; peer < mixing.peer_count(); ++peer) {
    const std::vector<WeightedNeighbor>& hears = mixing.row(peer).hears;
    if (hears.size() != pattern.size()) return false;
    for (const WeightedNeighbor& hop : pattern) {
      const PeerId id = shifted(peer, hop.id, moduli);
      const auto found =
          std::lower_bound(hears.begin(), hears.end(), id,
                           [](const WeightedNeighbor& n, PeerId wanted) { return n.id < wanted; });
      if (found == hears.end() || found->id != id || found->weight != hop.weight) return false;
    }
  }
  return true;
}

/// The angle sum_t character_t hop_t / m_t of a full turn, in units of 1/common turn; common is the least
/// common multiple of the m_t.
std::uint64_t phase(PeerId character, PeerId hop, const Moduli& moduli, std::uint64_t common) {
  std::uint64_t sum = 0;
  for (std::size_t t = moduli.size(); t-- > 0;) {
    const std::uint64_t m = moduli[t];
    sum += (character % m) * (hop % m) % m * (common / m);
    character /= moduli[t];
    hop /= moduli[t];
  }
  return sum % common;
}

Spectrum fourier_spectrum(const MixingMatrix& mixing, const Moduli& moduli) {
  std::uint64_t common = 1;
  for (const PeerId m : moduli) common = std::lcm(common, std::uint64_t{m});
  std::vector<double> cosine(common);
  std::vector<double> sine(common);
  for (std::uint64_t k = 0; k < common; ++k) {
    const double angle = 2.0 * pi * static_cast<double>(k) / static_cast<double>(common);
    cosine[k] = std::cos(angle);
    sine[k] = std::sin(angle);
  }
  const MixingRow& row = mixing.row(0);
  double second = -std::numeric_limits<double>::infinity();
  double smallest = std::numeric_limits<double>::infinity();
  double rho = 0.0;
  for (PeerId character = 1; character < mixing.peer_count(); ++character) {
    double real = row.self_weight;
    double imaginary = 0.0;
    for (const WeightedNeighbor& neighbor : row.hears) {
      const std::uint64_t k = phase(character, neighbor.id, moduli, common);
      real += neighbor.weight * cosine[k];
      imaginary += neighbor.weight * sine[k];
    }
    second = std::max(second, real);
    smallest = std::min(smallest, real);
    rho = std::max(rho, std::hypot(real, imaginary));
  }
  if (mixing.symmetric()) return symmetric_spectrum(second, smallest, SpectrumMethod::closed_form);
  return norm_spectrum(rho, SpectrumMethod::closed_form);
}

std::optional<Spectrum> shift_invariant_spectrum(const MixingMatrix& mixing) {
  for (const Moduli& group : groups_of_size(mixing.peer_count()))
    if (mixes_the_same_everywhere(mixing, group)) return fourier_spectrum(mixing, group);
  return std::nullopt;
}

/// Returns the weight c that all links of W = I - c L share; nothing if they differ or there are none.
std::optional<double> shared_weight(const MixingMatrix& mixing) {
  std::optional<double> shared;
  for (PeerId peer = 0; peer < mixing.peer_count(); ++peer)
    for (const WeightedNeighbor& neighbor : mixing.row(peer).hears) {
      if (shared && *shared != neighbor.weight) return std::nullopt;
      shared = neighbor.weight;
    }
  return shared;
}

bool has_links_of(const MixingMatrix& mixing, const Graph& graph) {
  if (mixing.link_count() != 2 * graph.edges().size()) return false;
  for (PeerId peer = 0; peer < mixing.peer_count(); ++peer)
    if (!std::ranges::equal(mixing.row(peer).heard_by, graph.neighbors(peer))) return false;
  return true;
}

/// Returns the number of columns if W has the links of a grid; nothing otherwise. A path is a grid of one
/// row.
std::optional<PeerId> grid_columns(const MixingMatrix& mixing) {
  // Peer 0 is in a corner: its neighbors are peer 1 and the first peer of the second row.
  const std::vector<PeerId>& corner = mixing.row(0).heard_by;
  if (corner.empty() || corner.size() > 2) return std::nullopt;
  const PeerId n = mixing.peer_count();
  const PeerId columns = corner.size() == 2 ? corner[1] : n;
  if (n % columns != 0 || !has_links_of(mixing, grid_graph(n / columns, columns))) return std::nullopt;
  return columns;
}

bool is_star(const MixingMatrix& mixing) {
  const PeerId n = mixing.peer_count();
  PeerId hubs = 0;
  for (PeerId peer = 0; peer < n; ++peer) hubs += mixing.row(peer).heard_by.size() == n - 1;
  return hubs == 1 && mixing.link_count() == 2 * std::size_t{n - 1};
}

std::optional<Spectrum> laplacian_spectrum(const MixingMatrix& mixing) {
  if (!mixing.symmetric()) return std::nullopt;
  const std::optional<double> weight = shared_weight(mixing);
  if (!weight) return std::nullopt;
  const double n = mixing.peer_count();
  double least = 0.0;  // the second smallest eigenvalue of the Laplacian; the smallest is 0
  double most = 0.0;
  if (is_star(mixing)) {
    least = 1.0;
    most = n;
  } else if (const std::optional<PeerId> columns = grid_columns(mixing)) {
    const double sides[] = {n / *columns, static_cast<double>(*columns)};
    least = std::numeric_limits<double>::infinity();
    for (const double side : sides) {
      if (side == 1.0) continue;
      const double low = std::sin(pi / (2.0 * side));
      const double high = std::cos(pi / (2.0 * side));  // sin(pi (side - 1) / (2 side))
      least = std::min(least, 4.0 * low * low);
      most += 4.0 * high * high;
    }
  } else {
    return std::nullopt;
  }
  const auto [smallest, second] = std::minmax({1.0 - *weight * least, 1.0 - *weight * most});
  return symmetric_spectrum(second, smallest, SpectrumMethod::closed_form);
}

}  // namespace

Spectrum symmetric_spectrum(double second, double smallest, SpectrumMethod how) {
  const double rho = std::max(std::abs(second), std::abs(smallest));
  return {second, smallest, rho, 1.0 - rho, how};
}

Spectrum norm_spectrum(double rho, SpectrumMethod how) { return {rho, -rho, rho, 1.0 - rho, how}; }

std::optional<Spectrum> closed_spectrum(const MixingMatrix& mixing) {
  if (mixing.peer_count() == 1) return Spectrum{};
  if (mixing.link_count() == 0) return symmetric_spectrum(1.0, 1.0, SpectrumMethod::closed_form);
  if (const auto found = laplacian_spectrum(mixing)) return found;
  return shift_invariant_spectrum(mixing);
}

}  // namespace hearsay
