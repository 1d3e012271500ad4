#include "tests/convergence/newton.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace hearsay::test {

namespace {

/// Returns the matrix with the rows y_s a_s.
Eigen::MatrixXd signed_features(const Samples<double>& samples) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(samples.count(), samples.feature_count());
  if (const auto* sparse = std::get_if<SparseRows<double>>(&samples.features)) {
    for (std::size_t s = 0; s < samples.targets.size(); ++s)
      for (Index k = sparse->row_begin[s]; k < sparse->row_begin[s + 1]; ++k)
        A(static_cast<Index>(s), sparse->column[static_cast<std::size_t>(k)]) =
            sparse->value[static_cast<std::size_t>(k)];
  } else {
    A = std::get<DenseRows<double>>(samples.features);
  }
  for (Index s = 0; s < A.rows(); ++s)
    if (samples.targets[static_cast<std::size_t>(s)] == 0.0) A.row(s) *= -1.0;
  return A;
}

double loss_at(const Eigen::MatrixXd& A, double l2, const Eigen::VectorXd& x) {
  const Eigen::ArrayXd margin = (A * x).array();
  // log(1 + exp(-m)), without overflow
  const double sum = ((-margin.abs()).exp().log1p() + (-margin).max(0.0)).sum();
  return sum / static_cast<double>(A.rows()) + 0.5 * l2 * x.squaredNorm();
}

double soft(double value, double threshold) {
  return std::abs(value) <= threshold ? 0.0 : value - std::copysign(threshold, value);
}

/// Returns argmin_d g'd + d'Hd / 2 + l1 ||x + d||_1.
Eigen::VectorXd sparse_direction(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, double l1,
                                 const Eigen::VectorXd& x) {
  Eigen::VectorXd d = Eigen::VectorXd::Zero(x.size());
  Eigen::VectorXd slope = g;  // g + H d
  for (int sweep = 0; sweep < 20'000; ++sweep) {
    double largest = 0.0;
    for (Index k = 0; k < x.size(); ++k) {
      if (H(k, k) <= 0.0) continue;
      const double next = soft(x[k] + d[k] - slope[k] / H(k, k), l1 / H(k, k)) - x[k];
      const double change = next - d[k];
      if (change == 0.0) continue;
      d[k] = next;
      slope += change * H.col(k);
      largest = std::max(largest, std::abs(change) * H(k, k));
    }
    if (largest <= 1e-17) break;
  }
  return d;
}

double violation_at(const Eigen::VectorXd& x, const Eigen::VectorXd& g, double l1) {
  double largest = 0.0;
  for (Index k = 0; k < x.size(); ++k)
    largest = std::max(
        largest, x[k] != 0.0 ? std::abs(g[k] + std::copysign(l1, x[k])) : std::max(std::abs(g[k]) - l1, 0.0));
  return largest;
}

}  // namespace

SparseOptimum minimise_sparse_logistic(const Samples<double>& samples, double l1) {
  const Eigen::MatrixXd A = signed_features(samples);
  const auto m = static_cast<double>(A.rows());
  const auto loss = [&](const Eigen::VectorXd& x) { return loss_at(A, 0.0, x) + l1 * x.lpNorm<1>(); };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(A.cols());
  double violation = 0.0;
  for (int step = 0; step <= 100; ++step) {
    const Eigen::ArrayXd wrong = 1.0 / (1.0 + (A * x).array().exp());
    const Eigen::VectorXd gradient = -A.transpose() * wrong.matrix() / m;
    violation = violation_at(x, gradient, l1);
    if (violation <= 1e-15) break;
    const Eigen::MatrixXd hessian =
        A.transpose() * (A.array().colwise() * (wrong * (1.0 - wrong) / m)).matrix();
    const Eigen::VectorXd direction = sparse_direction(hessian, gradient, l1, x);
    double length = 1.0;
    while (violation > 1e-6 && length > 1e-6 && loss(x + length * direction) > loss(x)) length /= 2.0;
    x += length * direction;
  }
  const double start = loss(Eigen::VectorXd::Zero(A.cols()));
  return {x, loss(x), violation, violation * (x.lpNorm<1>() + start / l1)};
}

double sparse_logistic_loss(const Samples<double>& samples, double l1, const Vector<double>& x) {
  return loss_at(signed_features(samples), 0.0, x) + l1 * x.lpNorm<1>();
}

Optimum minimise_logistic(const Samples<double>& samples, double l2) {
  const Eigen::MatrixXd A = signed_features(samples);
  const auto m = static_cast<double>(A.rows());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(A.cols());
  Eigen::VectorXd gradient;
  for (int step = 0; step <= 100; ++step) {
    const Eigen::ArrayXd wrong = 1.0 / (1.0 + (A * x).array().exp());  // probability of the other class
    gradient = l2 * x - A.transpose() * wrong.matrix() / m;
    if (gradient.norm() <= 1e-10) break;
    Eigen::MatrixXd hessian = A.transpose() * (A.array().colwise() * (wrong * (1.0 - wrong) / m)).matrix();
    hessian.diagonal().array() += l2;
    const Eigen::VectorXd direction = hessian.ldlt().solve(gradient);
    // Far from the minimum a whole step may be too long. Near it, a whole step is right, and losses differ by
    // rounding only.
    double length = 1.0;
    while (gradient.norm() > 1e-4 && loss_at(A, l2, x - length * direction) > loss_at(A, l2, x))
      length /= 2.0;
    x -= length * direction;
  }
  return {x, loss_at(A, l2, x), gradient.norm()};
}

double logistic_loss(const Samples<double>& samples, double l2, const Vector<double>& x) {
  return loss_at(signed_features(samples), l2, x);
}

}  // namespace hearsay::test
