#include "algorithms/compression/quantizers/dither_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace hearsay {

namespace {

/// Gauss-Legendre quadrature on [-1, 1]: exact up to degree 7.
constexpr std::array<double, 4> nodes{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                      0.8611363115940526};
constexpr std::array<double, 4> weights{0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                        0.3478548451374538};

/// Returns the mean of the rounding variance (r - l)(u - r) of r = ratio(t), where t in [0, reach] has a
/// `density` that varies on the scale of `width`. `ratio` ascends, and `place` is its inverse.
template <class Ratio, class Place, class Density>
double mean_variance(const LevelSet& levels, double reach, double width, Ratio ratio, Place place,
                     Density density) {
  // If gaps are equal and much narrower than `width`, (r - l)(u - r) averages to a sixth of the gap squared.
  const double gap = levels.widest_gap();
  if (levels.spacing() == LevelSpacing::equal && gap * 16.0 < width) return gap * gap / 6.0;
  double weighted = 0.0;
  double total = 0.0;
  const std::vector<double>& all = levels.levels();
  for (std::size_t j = 1; j < all.size() && place(all[j - 1]) < reach; ++j) {
    const double begin = place(all[j - 1]);
    const double end = std::min(place(all[j]), reach);
    const int pieces = 1 + static_cast<int>((end - begin) / width);
    const double half = (end - begin) / (2 * pieces);
    for (int piece = 0; piece < pieces; ++piece)
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const double t = begin + half * (2 * piece + 1 + nodes[k]);
        const double weight = half * weights[k] * density(t);
        const double r = ratio(t);
        weighted += weight * (r - all[j - 1]) * (all[j] - r);
        total += weight;
      }
  }
  return weighted / total;
}

/// Returns the m below which the largest of n normal magnitudes lies with the given probability p: (2 Phi(m)
/// - 1)^n = p.
double largest_magnitude_quantile(std::size_t n, double probability) {
  const double tail = -std::expm1(std::log(probability) / static_cast<double>(n));
  double low = 0.0;
  double high = 40.0;
  for (int k = 0; k < 50; ++k) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::numbers::sqrt2) > tail ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double gaussian_omega_linf(std::size_t n, const LevelSet& levels) {
  constexpr int quantiles = 16;
  const auto same = [](double r) { return r; };
  double total = 0.0;
  for (int k = 0; k < quantiles; ++k) {
    const double largest = largest_magnitude_quantile(n, (k + 0.5) / quantiles);
    const auto density = [largest](double r) { return std::exp(-0.5 * largest * r * largest * r); };
    total += largest * largest * mean_variance(levels, 1.0, 1.0 / largest, same, same, density);
  }
  const double others = static_cast<double>(n - 1) / static_cast<double>(n);
  return others * total / quantiles;
}

double gaussian_omega_l2(std::size_t n, const LevelSet& levels) {
  // A coordinate of a random direction is sin(t) with density proportional to cos(t)^(n-2).
  const auto size = static_cast<double>(n);
  const double width = 1.0 / std::sqrt(size);
  const double reach = std::min(0.5 * std::numbers::pi, 12.0 * width);
  return size * mean_variance(
                    levels, reach, width, [](double t) { return std::sin(t); },
                    [](double r) { return std::asin(r); },
                    [size](double t) { return std::exp((size - 2.0) * std::log(std::cos(t))); });
}

}  // namespace

double dither_worst_omega(DitherNorm norm, std::size_t n, const LevelSet& levels) {
  if (n <= 1) return 0.0;
  const auto size = static_cast<double>(n);
  const double a = levels.smallest();
  const double rho = levels.relative_spread();
  const double gap = levels.widest_gap();
  if (norm == DitherNorm::linf)
    return std::min((size - 1.0) * gap * gap / 4.0,
                    std::max(rho, (std::sqrt(1.0 + (size - 1.0) * a * a) - 1.0) / 2.0));
  const double reach = a * std::sqrt(size);
  const double sharp = reach <= 2.0 * (1.0 + rho) ? rho + reach * reach / (4.0 * (1.0 + rho)) : reach - 1.0;
  return std::min(size * gap * gap / 4.0, sharp);
}

double dither_gaussian_omega(DitherNorm norm, std::size_t n, const LevelSet& levels) {
  if (n <= 1) return 0.0;
  // A third of a millisecond, which the traits of one compressor are asked for again and again.
  struct Known {
    DitherNorm norm;
    std::size_t n;
    LevelSpacing spacing;
    std::vector<double> levels;
    double omega;
  };
  thread_local std::optional<Known> last;
  const bool is_known = last && last->norm == norm && last->n == n && last->spacing == levels.spacing() &&
                        last->levels == levels.levels();
  if (!is_known)
    last = {norm, n, levels.spacing(), levels.levels(),
            norm == DitherNorm::linf ? gaussian_omega_linf(n, levels) : gaussian_omega_l2(n, levels)};
  return last->omega;
}

}  // namespace hearsay
