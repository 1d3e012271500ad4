#include "runtime/dcd_limit.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "topology/dense_mixing.hpp"

namespace hearsay {

namespace {

/// A step of the power iteration takes a millisecond there, a remedy (`self_weight_for`) a second.
constexpr PeerId largest_power_iteration = 128;
constexpr PeerId largest_dense = 1024;
constexpr std::size_t most_links_of_circulant = 10'000'000;
/// Self weights are what rows leave over of 1, summed in different orders.
constexpr double rounding = 1e-14;

using Columns = Eigen::Map<const Eigen::MatrixXd>;

/// Of peer `id`: how far ahead each neighbor is, and its weight, ascending.
std::vector<std::pair<PeerId, double>> steps_ahead(const MixingMatrix& mixing, PeerId id) {
  const PeerId n = mixing.peer_count();
  std::vector<std::pair<PeerId, double>> steps;
  for (const WeightedNeighbor& neighbor : mixing.row(id).hears)
    steps.emplace_back((neighbor.id + n - id) % n, neighbor.weight);
  std::ranges::sort(steps);
  return steps;
}

bool is_circulant(const MixingMatrix& mixing) {
  const auto first = steps_ahead(mixing, 0);
  for (PeerId id = 1; id < mixing.peer_count(); ++id)
    if (steps_ahead(mixing, id) != first ||
        std::abs(mixing.row(id).self_weight - mixing.row(0).self_weight) > rounding)
      return false;
  return true;
}

/// lambda_k = w_0 + sum_m w_m cos(2 pi k m / n), k = 1 ... n-1.
std::vector<double> circulant_eigenvalues(const MixingMatrix& mixing) {
  const PeerId n = mixing.peer_count();
  const auto row = steps_ahead(mixing, 0);
  std::vector<double> lambda;
  for (std::uint64_t k = 1; k < n; ++k) {
    double sum = mixing.row(0).self_weight;
    for (const auto& [step, weight] : row)
      sum += weight * std::cos(2.0 * std::numbers::pi * static_cast<double>(k * step % n) / n);
    lambda.push_back(sum);
  }
  return lambda;
}

}  // namespace

std::optional<DcdLimit> DcdLimit::of(const MixingMatrix& mixing) {
  const PeerId n = mixing.peer_count();
  if (!mixing.symmetric()) return std::nullopt;
  DcdLimit limit;
  limit.peer_count_ = n;
  for (PeerId id = 0; id < n; ++id)
    limit.smallest_self_weight_ = std::min(limit.smallest_self_weight_, mixing.row(id).self_weight);
  if (mixing.link_count() <= most_links_of_circulant && is_circulant(mixing)) {
    limit.lambda_ = circulant_eigenvalues(mixing);
    return limit;
  }
  if (n > largest_dense) return std::nullopt;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(dense(mixing));
  // Ascending; the last one is 1, of the mean.
  limit.lambda_.assign(spectrum.eigenvalues().data(), spectrum.eigenvalues().data() + n - 1);
  limit.eigenvectors_.assign(spectrum.eigenvectors().data(), spectrum.eigenvectors().data() + n * (n - 1));
  if (n > largest_power_iteration && !limit.row_sum(limit.lambda_)) return std::nullopt;
  return limit;
}

double DcdLimit::omega(double a) const {
  if (peer_count_ == 1) return std::numeric_limits<double>::infinity();
  std::vector<double> lambda = lambda_;
  for (double& value : lambda) value = a + (1.0 - a) * value;
  if (std::ranges::any_of(lambda, [](double value) { return std::abs(value) > 1.0 - 1e-12; })) return 0.0;
  const std::optional<double> largest = row_sum(lambda);
  return 1.0 / (largest ? *largest : power_iteration(lambda));
}

/// The sum of every row of K, where all have the same: K 1 = diag(Q S Q'), S the diagonal of the s_kk. K 1 = c 1
/// makes c the largest eigenvalue (Perron, Frobenius).
std::optional<double> DcdLimit::row_sum(const std::vector<double>& lambda) const {
  const auto n = static_cast<Eigen::Index>(peer_count_);
  const Eigen::Map<const Eigen::ArrayXd> values(lambda.data(), n - 1);
  const Eigen::ArrayXd series = (1.0 - values) / (1.0 + values);
  const double mean = series.sum() / static_cast<double>(n);
  if (eigenvectors_.empty()) return mean;
  const Columns q(eigenvectors_.data(), n, n - 1);
  const Eigen::VectorXd sums = q.cwiseAbs2() * series.matrix();
  return (sums.array() - mean).abs().maxCoeff() <= 1e-9 * mean ? std::optional(mean) : std::nullopt;
}

/// The largest eigenvalue of K, whose entries are not negative.
double DcdLimit::power_iteration(const std::vector<double>& lambda) const {
  const auto n = static_cast<Eigen::Index>(peer_count_);
  const Columns q(eigenvectors_.data(), n, n - 1);
  const Eigen::Map<const Eigen::ArrayXd> values(lambda.data(), n - 1);
  Eigen::MatrixXd series(n - 1, n - 1);
  for (Eigen::Index k = 0; k < n - 1; ++k)
    series.col(k) = (1.0 - values[k]) * (1.0 - values) / (1.0 - values[k] * values);
  Eigen::VectorXd d = Eigen::VectorXd::Ones(n);
  double largest = 0.0;
  for (int step = 0; step < 1000; ++step) {
    const Eigen::MatrixXd mixed = (q.transpose() * d.asDiagonal() * q).cwiseProduct(series);
    const Eigen::VectorXd next = (q * mixed).cwiseProduct(q).rowwise().sum();
    const double before = largest;
    largest = next.norm() / d.norm();
    d = next / next.norm();
    if (std::abs(largest - before) <= 1e-11 * largest) break;
  }
  return largest;
}

double DcdLimit::self_weight_for(double wanted) const {
  double low = 0.0;
  double high = 1.0;
  // To the digits that are printed.
  while (high - low > 1e-4) {
    const double middle = 0.5 * (low + high);
    (omega(middle) > wanted ? high : low) = middle;
  }
  return high + (1.0 - high) * smallest_self_weight_;
}

}  // namespace hearsay
