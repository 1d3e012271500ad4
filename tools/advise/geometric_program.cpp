#include "tools/advise/geometric_program.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

Eigen::Index at(std::size_t variable) { return static_cast<Eigen::Index>(variable); }

/// log sum_k exp(log c_k + a_k y): the logarithm of a posynomial, which is convex in y.
class LogSum {
 public:
  explicit LogSum(const Posynomial& posynomial) {
    for (const Monomial& monomial : posynomial)
      if (monomial.factor > 0.0) terms_.push_back({std::log(monomial.factor), monomial.powers});
    shares_.resize(terms_.size());
  }

  /// Returns the value, and keeps the share of each monomial in the sum.
  double value(const VectorXd& y) {
    double largest = -infinity;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      shares_[k] = terms_[k].factor;
      for (const auto& [variable, power] : terms_[k].powers) shares_[k] += power * y[at(variable)];
      largest = std::max(largest, shares_[k]);
    }
    double sum = 0.0;
    for (double& share : shares_) sum += share = std::exp(share - largest);
    for (double& share : shares_) share /= sum;
    return largest + std::log(sum);
  }

  // The derivatives at the y of the last `value`.

  void add_gradient(double factor, VectorXd& gradient) const {
    for (std::size_t k = 0; k < terms_.size(); ++k)
      for (const auto& [variable, power] : terms_[k].powers)
        gradient[at(variable)] += factor * shares_[k] * power;
  }

  /// Returns gradient^T direction.
  double slope(const VectorXd& direction) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < terms_.size(); ++k)
      for (const auto& [variable, power] : terms_[k].powers)
        sum += shares_[k] * power * direction[at(variable)];
    return sum;
  }

  /// Adds first * Hessian + second * gradient gradient^T, the lower triangle only.
  void add_hessian(double first, double second, MatrixXd& hessian) const {
    if (terms_.size() == 1)  // a monomial is linear in y
      return add_product(terms_.front().powers, second, hessian);
    VectorXd gradient = VectorXd::Zero(hessian.rows());
    add_gradient(1.0, gradient);
    for (std::size_t k = 0; k < terms_.size(); ++k)
      add_product(terms_[k].powers, first * shares_[k], hessian);
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(gradient, second - first);
  }

 private:
  using Powers = std::vector<std::pair<std::size_t, double>>;

  static void add_product(const Powers& powers, double factor, MatrixXd& hessian) {
    for (const auto& [i, a] : powers)
      for (const auto& [j, b] : powers)
        if (j <= i) hessian(at(i), at(j)) += factor * a * b;
  }

  std::vector<Monomial> terms_;  // with the logarithms of their factors
  std::vector<double> shares_;
};

/// A primal-dual interior-point method (Boyd, Vandenberghe 2004, section 11.7): Newton steps on
///
///     grad f_0 + sum_i lambda_i grad f_i = 0,      -lambda_i f_i = 1 / t
///
/// that are shortened until all f_i < 0 < lambda_i and the residual falls; t grows with what is reached. The
/// plain barrier method creeps along curved constraints: hundreds of steps where this takes some dozens.
class InteriorPoint {
 public:
  InteriorPoint(const GeometricProgram& program, VectorXd y)
      : objective_(program.objective), y_(std::move(y)) {
    for (const Posynomial& posynomial : program.at_most_one)
      if (std::ranges::any_of(posynomial, [](const Monomial& monomial) { return monomial.factor > 0.0; }))
        constraints_.emplace_back(posynomial);
    slacks_.resize(constraints_.size());
    ensure(look_at(y_), "a geometric program starts at a strictly feasible point");
    for (const double slack : slacks_) multipliers_.push_back(1.0 / slack);
  }

  VectorXd run(double gap) {
    constexpr int most_steps = 200;
    constexpr double ambition = 10.0;  // of a step: a gap that is so many times as small
    const auto count = static_cast<double>(constraints_.size());
    for (int step = 0; step < most_steps; ++step) {
      double reached = 0.0;
      for (std::size_t i = 0; i < slacks_.size(); ++i) reached += slacks_[i] * multipliers_[i];
      if (reached <= gap && dual_residual().norm() <= gap) break;
      if (!take_step(reached / (ambition * count))) break;
    }
    return y_;
  }

 private:
  /// Computes slacks and derivatives at y. False if y is not strictly feasible.
  bool look_at(const VectorXd& y) {
    objective_.value(y);
    bool feasible = true;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      slacks_[i] = -constraints_[i].value(y);
      feasible &= slacks_[i] > 0.0;
    }
    return feasible;
  }

  VectorXd dual_residual() const {
    VectorXd residual = VectorXd::Zero(y_.size());
    objective_.add_gradient(1.0, residual);
    for (std::size_t i = 0; i < constraints_.size(); ++i)
      constraints_[i].add_gradient(multipliers_[i], residual);
    return residual;
  }

  /// The norm of both residuals for slack * multiplier = target.
  double residual(double target) const {
    double sum = dual_residual().squaredNorm();
    for (std::size_t i = 0; i < slacks_.size(); ++i)
      sum += std::pow(slacks_[i] * multipliers_[i] - target, 2);
    return std::sqrt(sum);
  }

  /// False if no step makes the residual smaller: the numbers have no digits left.
  bool take_step(double target) {
    VectorXd gradient = VectorXd::Zero(y_.size());
    MatrixXd hessian = MatrixXd::Zero(y_.size(), y_.size());
    objective_.add_gradient(1.0, gradient);
    objective_.add_hessian(1.0, 0.0, hessian);
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      constraints_[i].add_gradient(target / slacks_[i], gradient);
      constraints_[i].add_hessian(multipliers_[i], multipliers_[i] / slacks_[i], hessian);
    }
    // In units in which the diagonal is 1: curvatures differ by many orders of magnitude. A trace of the
    // identity is for directions in which rounding leaves nothing of them.
    const VectorXd unit = hessian.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    hessian.array().colwise() *= unit.array();
    hessian.array().rowwise() *= unit.transpose().array();
    hessian.diagonal().array() += 1e-13;
    const Eigen::LLT<MatrixXd, Eigen::Lower> factors(hessian);
    if (factors.info() != Eigen::Success) return false;
    const VectorXd direction = -unit.cwiseProduct(factors.solve(unit.cwiseProduct(gradient)));

    std::vector<double> turns(multipliers_.size());
    double length = 1.0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      turns[i] = (target + multipliers_[i] * constraints_[i].slope(direction)) / slacks_[i] - multipliers_[i];
      if (turns[i] < 0.0) length = std::min(length, -multipliers_[i] / turns[i]);
    }
    return search(0.99 * length, direction, turns, target);
  }

  bool search(double length, const VectorXd& direction, const std::vector<double>& turns, double target) {
    constexpr double enough = 0.01;
    constexpr double shortest = 1e-10;
    const double before = residual(target);
    const VectorXd y = y_;
    const std::vector<double> multipliers = multipliers_;
    for (; length > shortest; length /= 2.0) {
      y_ = y + length * direction;
      if (!look_at(y_)) continue;
      for (std::size_t i = 0; i < turns.size(); ++i) multipliers_[i] = multipliers[i] + length * turns[i];
      if (residual(target) <= (1.0 - enough * length) * before) return true;
    }
    y_ = y;
    multipliers_ = multipliers;
    look_at(y_);
    return false;
  }

  LogSum objective_;
  std::vector<LogSum> constraints_;
  VectorXd y_;
  std::vector<double> slacks_;       // -f_i(y)
  std::vector<double> multipliers_;  // lambda_i
};

}  // namespace

double value_of(const Posynomial& posynomial, const std::vector<double>& x) {
  double sum = 0.0;
  for (const Monomial& monomial : posynomial) {
    double term = monomial.factor;
    for (const auto& [variable, power] : monomial.powers) term *= std::pow(x[variable], power);
    sum += term;
  }
  return sum;
}

bool leaves_room(const GeometricProgram& program, const std::vector<double>& x) {
  constexpr double most = 1.0 - 1e-12;
  return std::ranges::all_of(program.at_most_one,
                             [&](const Posynomial& posynomial) { return value_of(posynomial, x) < most; });
}

std::vector<double> solve(const GeometricProgram& program, const std::vector<double>& start) {
  constexpr double gap = 1e-7;
  VectorXd y(at(start.size()));
  for (std::size_t k = 0; k < start.size(); ++k) y[at(k)] = std::log(start[k]);
  y = InteriorPoint(program, std::move(y)).run(gap);
  std::vector<double> x(start.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::exp(y[at(k)]);
  return x;
}

}  // namespace hearsay
