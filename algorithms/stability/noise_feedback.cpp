#include "algorithms/stability/noise_feedback.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "topology/dense_mixing.hpp"
#include "topology/symmetric_eigen.hpp"

namespace hearsay {

namespace {

constexpr PeerId largest_dense = 1024;
constexpr std::size_t most_links_of_circulant = 10'000'000;
/// Tolerance of self weights: each is 1 minus the sum of its row, added up in an order of its own.
constexpr double rounding = 1e-14;

using Columns = Eigen::Map<const Eigen::MatrixXd>;

/// Returns, for each neighbor of peer `id`, how far ahead its id is (modulo n), ascending, and its weight.
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

/// Returns lambda = 1 of the mean, then lambda_k = w_0 + sum_m w_m cos(2 pi k m / n), k = 1 ... n-1.
std::vector<double> circulant_eigenvalues(const MixingMatrix& mixing) {
  const PeerId n = mixing.peer_count();
  const auto row = steps_ahead(mixing, 0);
  std::vector<double> lambda = {1.0};
  for (std::uint64_t k = 1; k < n; ++k) {
    double sum = mixing.row(0).self_weight;
    for (const auto& [step, weight] : row)
      sum += weight * std::cos(2.0 * std::numbers::pi * static_cast<double>(k * step % n) / n);
    lambda.push_back(sum);
  }
  return lambda;
}

}  // namespace

std::optional<NoiseFeedback> NoiseFeedback::of(const MixingMatrix& mixing) {
  const PeerId n = mixing.peer_count();
  if (!mixing.symmetric()) return std::nullopt;
  NoiseFeedback feedback;
  feedback.peer_count_ = n;
  if (mixing.link_count() <= most_links_of_circulant && is_circulant(mixing)) {
    feedback.lambda_ = circulant_eigenvalues(mixing);
    return feedback;
  }
  if (n > largest_dense) return std::nullopt;
  const SymmetricEigen spectrum = symmetric_eigen(dense(mixing));
  // The last value is 1, of the mean.
  feedback.lambda_ = {1.0};
  for (Eigen::Index k = n - 1; k-- > 0;) feedback.lambda_.push_back(spectrum.values[k]);
  const Eigen::MatrixXd descending = spectrum.vectors.rowwise().reverse();
  feedback.eigenvectors_.assign(descending.data(), descending.data() + descending.size());
  // Peers are alike if every power of W gives them the same self weight. (3 - 2 W)^-1 is a sum of all powers.
  const Eigen::VectorXd own_weights =
      descending.cwiseAbs2() * (3.0 - 2.0 * spectrum.values.reverse().array()).inverse().matrix();
  feedback.peers_alike_ = (own_weights.array() - own_weights.mean()).abs().maxCoeff() <= 1e-9;
  return feedback;
}

double NoiseFeedback::gain(const Response& response) const {
  double sum = 0.0;
  for (const double lambda : lambda_) sum += response(lambda, lambda);
  if (peers_alike_ || !std::isfinite(sum)) return sum / peer_count_;
  return power_iteration(response);
}

/// Returns the largest eigenvalue of K, which has no negative entries.
double NoiseFeedback::power_iteration(const Response& response) const {
  const auto n = static_cast<Eigen::Index>(peer_count_);
  const Columns q(eigenvectors_.data(), n, n);
  Eigen::MatrixXd series(n, n);
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index l = 0; l <= k; ++l)
      series(k, l) = series(l, k) =
          response(lambda_[static_cast<std::size_t>(k)], lambda_[static_cast<std::size_t>(l)]);
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

}  // namespace hearsay
