#include "algorithms/compression/dither_error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hearsay {

namespace {

/// f (1 - f), f the fractional part: the variance of rounding x at random, in squared steps.
double rounding_variance(double x) {
  const double fraction = x - std::floor(x);
  return fraction * (1.0 - fraction);
}

/// Over a smooth density that spans more steps than this, f (1 - f) averages to 1/6.
constexpr double many_steps = 64.0;

/// Nodes of a midpoint rule over `steps` rounding steps: enough for each of the integrand's arcs.
int node_count(double steps) { return 128 + static_cast<int>(8.0 * steps); }

/// Mean of rounding_variance(s z / largest) over a normal z truncated to |z| <= largest.
double truncated_normal_variance(double largest, int s) {
  if (s > many_steps) return 1.0 / 6.0;
  const int nodes = node_count(s);
  double weighted = 0.0;
  double weights = 0.0;
  for (int k = 0; k < nodes; ++k) {
    const double z = largest * (k + 0.5) / nodes;
    const double weight = std::exp(-0.5 * z * z);
    weighted += weight * rounding_variance(s * z / largest);
    weights += weight;
  }
  return weighted / weights;
}

/// The largest of n normal magnitudes is below this with probability `probability`: (2 Phi(m) - 1)^n = p.
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

double gaussian_omega_linf(std::size_t n, int s) {
  constexpr int quantiles = 16;
  double total = 0.0;
  for (int k = 0; k < quantiles; ++k) {
    const double largest = largest_magnitude_quantile(n, (k + 0.5) / quantiles);
    total += largest * largest * truncated_normal_variance(largest, s);
  }
  const double others = static_cast<double>(n - 1) / static_cast<double>(n);
  return others * total / quantiles / (static_cast<double>(s) * s);
}

double gaussian_omega_l2(std::size_t n, int s) {
  // A coordinate of a random direction is sin(t) with density proportional to cos(t)^(n-2).
  const double reach = std::min(0.5 * std::numbers::pi, 12.0 / std::sqrt(static_cast<double>(n)));
  const double steps = s * std::sin(reach);
  const double variance_scale = static_cast<double>(n) / (static_cast<double>(s) * s);
  if (steps > many_steps) return variance_scale / 6.0;
  const int nodes = node_count(steps);
  double weighted = 0.0;
  double weights = 0.0;
  for (int k = 0; k < nodes; ++k) {
    const double t = reach * (k + 0.5) / nodes;
    const double weight = std::exp(static_cast<double>(n - 2) * std::log(std::cos(t)));
    weighted += weight * rounding_variance(s * std::sin(t));
    weights += weight;
  }
  return variance_scale * weighted / weights;
}

}  // namespace

double dither_worst_omega(DitherNorm norm, std::size_t n, int s) {
  if (n <= 1) return 0.0;
  const auto size = static_cast<double>(n);
  const double a = 1.0 / s;
  const double rho = s >= 2 ? 0.125 : 0.0;
  if (norm == DitherNorm::linf)
    return std::min((size - 1.0) * a * a / 4.0,
                    std::max(rho, (std::sqrt(1.0 + (size - 1.0) * a * a) - 1.0) / 2.0));
  const double reach = a * std::sqrt(size);
  const double sharp = reach <= 2.0 * (1.0 + rho) ? rho + reach * reach / (4.0 * (1.0 + rho)) : reach - 1.0;
  return std::min(reach * reach / 4.0, sharp);
}

double dither_gaussian_omega(DitherNorm norm, std::size_t n, int s) {
  if (n <= 1) return 0.0;
  return norm == DitherNorm::linf ? gaussian_omega_linf(n, s) : gaussian_omega_l2(n, s);
}

}  // namespace hearsay
