#include "topology/fastest_mixing.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "topology/fixed_graphs.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

using Matrix = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

/// a_l' M a_k for the links l and k
double between(const Matrix& m, Edge l, Edge k) {
  return m(l.a, k.a) - m(l.a, k.b) - m(l.b, k.a) + m(l.b, k.b);
}

Matrix symmetrized(const Matrix& m) { return 0.5 * (m + m.transpose()); }

bool positive_definite(const Matrix& m) { return Eigen::LLT<Matrix>(m).info() == Eigen::Success; }

/// The constraint that A (sign +1) or B (sign -1) is positive semidefinite: S = s I + sign (sum_l p_l a_l
/// a_l' - (I - J)).
struct Cone {
  double sign;
  Matrix slack;       ///< S, positive definite
  Matrix multiplier;  ///< X of A, Y of B; positive definite
  Matrix inverse;     ///< S^-1
  Matrix product;     ///< multiplier S^-1, symmetrized
  Matrix slack_step;
  Matrix multiplier_step;
  Matrix correction;  ///< second-order term: multiplier step * slack step * S^-1, symmetrized

  void invert() {
    inverse = Eigen::LLT<Matrix>(slack).solve(Matrix::Identity(slack.rows(), slack.cols()));
    product = symmetrized(multiplier * inverse);
  }
  /// Computes multiplier_step from slack_step, by the linearized multiplier * S = target I.
  void step(double target) {
    multiplier_step = target * inverse - multiplier -
                      symmetrized(multiplier * Sparse(slack_step.sparseView()) * inverse) - correction;
  }
  void correct() { correction = symmetrized(multiplier_step * Sparse(slack_step.sparseView()) * inverse); }
};

/// Constraints g >= 0, entry by entry: the weights, or 1 minus the row sums. Unused for LinkWeights::any.
struct Orthant {
  Vector slack;
  Vector multiplier;
  Vector slack_step;
  Vector multiplier_step;
  Vector correction;

  void step(double target) {
    multiplier_step = ((target - multiplier.array() * slack_step.array()) / slack.array()).matrix() -
                      multiplier - correction;
  }
  void correct() { correction = multiplier_step.cwiseProduct(slack_step).cwiseQuotient(slack); }
};

bool positive(const Vector& v) { return v.size() == 0 || v.minCoeff() > 0.0; }

/// The primal-dual path-following method with Mehrotra's predictor and corrector and the search direction of
/// Helmberg, Rendl, Vanderbei, Wolkowicz (1996), Kojima et al. (1997) and Monteiro (1997).
class Solver {
 public:
  Solver(const Graph& graph, LinkWeights kind)
      : graph_(graph), links_(graph.edges()), averages_(kind == LinkWeights::averages) {
    // Weights below Metropolis' and s > 1 satisfy all constraints strictly; equal multipliers favor no link.
    weights_.resize(link_count());
    for (Eigen::Index l = 0; l < link_count(); ++l)
      weights_(l) = 0.9 / static_cast<double>(1 + std::max(graph.degree(edge(l).a), graph.degree(edge(l).b)));
    for (Cone& cone : cones_) {
      cone.slack = slack(cone.sign, bound_, weights_);
      cone.multiplier = Matrix::Identity(peers(), peers()) / (2.0 * n());
      cone.correction = Matrix::Zero(peers(), peers());
    }
    if (!averages_) return;
    signs_.slack = weights_;
    signs_.multiplier = Vector::Constant(link_count(), 1.0 / n());
    signs_.correction = Vector::Zero(link_count());
    rows_.slack = Vector::Ones(peers()) - row_sums(weights_);
    rows_.multiplier = Vector::Constant(peers(), 0.5 / n());
    rows_.correction = Vector::Zero(peers());
  }

  void run() {
    constexpr int most_iterations = 100;
    constexpr double wanted = 1e-9;  // how far s may stay above the optimum; well above rounding errors
    for (int iteration = 0; iteration < most_iterations && complementarity() > wanted; ++iteration)
      if (!advance()) return;
  }

  const Vector& weights() const { return weights_; }

  double least_rho() const {
    const double scale = cones_[0].multiplier.trace() + cones_[1].multiplier.trace();
    const Matrix difference = (cones_[0].multiplier - cones_[1].multiplier) / scale;
    const double of_identity = difference.trace() - difference.sum() / n();
    double loss = 0.0;
    Vector z = averages_ ? Vector(rows_.multiplier / scale) : Vector();
    for (Eigen::Index l = 0; l < link_count(); ++l) {
      const double y = between(difference, edge(l), edge(l));
      if (!averages_) {
        loss += (bound_ + 1.0 / n()) * std::abs(y);
        continue;
      }
      const double short_of = std::max(0.0, y - z(edge(l).a) - z(edge(l).b));
      z(edge(l).a) += 0.5 * short_of;
      z(edge(l).b) += 0.5 * short_of;
    }
    if (averages_) loss = z.sum();
    return std::clamp(of_identity - loss, 0.0, bound_);
  }

 private:
  Eigen::Index peers() const { return graph_.peer_count(); }
  double n() const { return graph_.peer_count(); }
  Eigen::Index link_count() const { return static_cast<Eigen::Index>(links_.size()); }
  Edge edge(Eigen::Index l) const { return links_[static_cast<std::size_t>(l)]; }

  Vector row_sums(const Vector& weights) const {
    Vector sums = Vector::Zero(peers());
    for (Eigen::Index l = 0; l < link_count(); ++l) {
      sums(edge(l).a) += weights(l);
      sums(edge(l).b) += weights(l);
    }
    return sums;
  }

  /// bound I + sign sum_l weights_l a_l a_l'
  Matrix combined(double sign, double bound, const Vector& weights) const {
    Matrix sum = Matrix::Zero(peers(), peers());
    sum.diagonal() = Vector::Constant(peers(), bound) + sign * row_sums(weights);
    for (Eigen::Index l = 0; l < link_count(); ++l)
      sum(edge(l).a, edge(l).b) = sum(edge(l).b, edge(l).a) = -sign * weights(l);
    return sum;
  }

  Matrix slack(double sign, double bound, const Vector& weights) const {
    Matrix s = combined(sign, bound - sign, weights);
    s.array() += sign / n();
    return s;
  }

  /// The sum of slack times multiplier over all constraints: how far s is above the optimum if the
  /// multipliers are feasible.
  double complementarity() const {
    double sum = 0.0;
    for (const Cone& cone : cones_) sum += cone.slack.cwiseProduct(cone.multiplier).sum();
    if (averages_) sum += signs_.slack.dot(signs_.multiplier) + rows_.slack.dot(rows_.multiplier);
    return sum;
  }
  /// The complementarity after a primal and a dual step of these lengths.
  double complementarity(double primal, double dual) const {
    const auto after = [&](const auto& c) {
      return (c.slack + primal * c.slack_step).cwiseProduct(c.multiplier + dual * c.multiplier_step).sum();
    };
    double sum = after(cones_[0]) + after(cones_[1]);
    if (averages_) sum += after(signs_) + after(rows_);
    return sum;
  }
  double constraint_count() const {
    return 2.0 * n() + (averages_ ? n() + static_cast<double>(link_count()) : 0.0);
  }

  /// The Newton matrix in (weights, s): the derivatives of the dual constraints, with the multipliers as
  /// functions of the slacks. Only the lower triangle is filled.
  Matrix newton_matrix() const {
    const Eigen::Index s = link_count();
    Matrix newton = Matrix::Zero(s + 1, s + 1);
    for (const Cone& cone : cones_) {
      for (Eigen::Index k = 0; k < s; ++k)
        for (Eigen::Index l = k; l < s; ++l)
          newton(l, k) +=
              between(cone.multiplier, edge(l), edge(k)) * between(cone.inverse, edge(l), edge(k));
      for (Eigen::Index l = 0; l < s; ++l)
        newton(s, l) += cone.sign * between(cone.product, edge(l), edge(l));
      newton(s, s) += cone.product.trace();
    }
    if (averages_) {
      newton.diagonal().head(s) += signs_.multiplier.cwiseQuotient(signs_.slack);
      const Vector ratio = rows_.multiplier.cwiseQuotient(rows_.slack);
      for (Eigen::Index k = 0; k < s; ++k)
        for (Eigen::Index l = k; l < s; ++l)
          for (const PeerId shared : {edge(l).a, edge(l).b})
            if (shared == edge(k).a || shared == edge(k).b) newton(l, k) += ratio(shared);
    }
    return newton;
  }

  /// The right-hand side of the Newton system: what the dual constraints lack if slack times multiplier is
  /// `target`.
  Vector defect(double target) const {
    const Eigen::Index s = link_count();
    Vector right = Vector::Zero(s + 1);
    for (const Cone& cone : cones_) {
      const Matrix wanted = target * cone.inverse - cone.correction;
      for (Eigen::Index l = 0; l < s; ++l) right(l) += cone.sign * between(wanted, edge(l), edge(l));
      right(s) += wanted.trace();
    }
    right(s) -= 1.0;
    if (averages_) {
      right.head(s) += target * signs_.slack.cwiseInverse() - signs_.correction;
      const Vector wanted = target * rows_.slack.cwiseInverse() - rows_.correction;
      for (Eigen::Index l = 0; l < s; ++l) right(l) -= wanted(edge(l).a) + wanted(edge(l).b);
    }
    return right;
  }

  /// Computes the steps of weights, s, slacks and multipliers toward slack times multiplier = `target`.
  void find_steps(const Eigen::LLT<Matrix>& newton, double target) {
    const Vector step = newton.solve(defect(target));
    weight_step_ = step.head(link_count());
    bound_step_ = step(link_count());
    for (Cone& cone : cones_) {
      cone.slack_step = combined(cone.sign, bound_step_, weight_step_);
      cone.step(target);
    }
    if (!averages_) return;
    signs_.slack_step = weight_step_;
    signs_.step(target);
    rows_.slack_step = -row_sums(weight_step_);
    rows_.step(target);
  }

  /// Returns the longest of the lengths 1, 0.8, 0.64, ... down to 1e-4 for which everything stays positive; 0
  /// if there is none.
  template <class Positive>
  static double longest(Positive stays_positive) {
    for (double length = 1.0; length > 1e-4; length *= 0.8)
      if (stays_positive(length)) return length;
    return 0.0;
  }
  double longest_primal() const {
    return longest([&](double length) {
      if (averages_ && (!positive(signs_.slack + length * signs_.slack_step) ||
                        !positive(rows_.slack + length * rows_.slack_step)))
        return false;
      return std::ranges::all_of(
          cones_, [&](const Cone& cone) { return positive_definite(cone.slack + length * cone.slack_step); });
    });
  }
  double longest_dual() const {
    return longest([&](double length) {
      if (averages_ && (!positive(signs_.multiplier + length * signs_.multiplier_step) ||
                        !positive(rows_.multiplier + length * rows_.multiplier_step)))
        return false;
      return std::ranges::all_of(cones_, [&](const Cone& cone) {
        return positive_definite(cone.multiplier + length * cone.multiplier_step);
      });
    });
  }

  /// One iteration. False if rounding prevents any further improvement.
  bool advance() {
    for (Cone& cone : cones_) {
      cone.invert();
      cone.correction.setZero();
    }
    signs_.correction.setZero();
    rows_.correction.setZero();
    const Eigen::LLT<Matrix> newton(newton_matrix());
    if (newton.info() != Eigen::Success) return false;

    // Predictor: straight to the optimum. The less of the way it gets, the more centering is needed.
    find_steps(newton, 0.0);
    const double now = complementarity();
    const double reached = complementarity(longest_primal(), longest_dual());
    const double centering = std::clamp(std::pow(reached / now, 3), 1e-6, 0.9);
    // Corrector: with the second-order term of the predictor's steps.
    for (Cone& cone : cones_) cone.correct();
    if (averages_) {
      signs_.correct();
      rows_.correct();
    }
    find_steps(newton, centering * now / constraint_count());
    // Stop short of the boundary, where the next step would have no room.
    const double primal = 0.95 * longest_primal();
    const double dual = 0.95 * longest_dual();

    weights_ += primal * weight_step_;
    bound_ += primal * bound_step_;
    for (Cone& cone : cones_) {
      cone.slack = slack(cone.sign, bound_, weights_);
      cone.multiplier += dual * cone.multiplier_step;
    }
    if (averages_) {
      signs_.slack = weights_;
      signs_.multiplier += dual * signs_.multiplier_step;
      rows_.slack = Vector::Ones(peers()) - row_sums(weights_);
      rows_.multiplier += dual * rows_.multiplier_step;
    }
    return complementarity() < 0.99 * now;
  }

  const Graph graph_;
  const std::vector<Edge>& links_;
  bool averages_;
  Vector weights_;
  double bound_ = 1.1;  ///< s
  Vector weight_step_;
  double bound_step_ = 0.0;
  std::array<Cone, 2> cones_{{{+1.0, {}, {}, {}, {}, {}, {}, {}}, {-1.0, {}, {}, {}, {}, {}, {}, {}}}};
  Orthant signs_;  ///< p >= 0
  Orthant rows_;   ///< row sums <= 1
};

}  // namespace

FastestWeights fastest_weights(const Graph& graph, LinkWeights kind) {
  if (!suits_fastest_solver(graph.peer_count(), graph.edges().size()))
    throw Misuse("topology.weights", kind == LinkWeights::any ? "fastest" : "fastest-chain",
                 "computed for up to " + std::to_string(fastest_peers) + " peers and " +
                     std::to_string(fastest_links) + " links, and the topology has " +
                     std::to_string(graph.peer_count()) + " and " + std::to_string(graph.edges().size()) +
                     "; best-constant and metropolis have no limit");
  Solver solver(graph, kind);
  solver.run();
  FastestWeights found{{}, solver.least_rho()};
  // Rounded down, so that row sums stay at most 1. Weights this close to 0 tend to 0.
  for (const double weight : solver.weights())
    found.edge_weights.push_back(std::abs(weight) < 1e-7 ? 0.0 : std::floor(weight * 0x1p30) * 0x1p-30);
  return found;
}

bool links_look_alike(const Graph& graph) {
  const PeerId n = graph.peer_count();
  const std::size_t links = graph.edges().size();
  const auto is = [&](const Graph& other) { return graph.edges() == other.edges(); };
  if (links == std::size_t{n} * (n - 1) / 2) return true;
  if (links == n - 1) return is(star_graph(n));
  if (links == n && is(ring_graph(n))) return true;
  if (std::has_single_bit(n) && links == std::size_t{n} / 2 * std::countr_zero(n) &&
      is(hypercube_graph(std::countr_zero(n))))
    return true;
  const auto side = static_cast<PeerId>(std::lround(std::sqrt(n)));
  return side * side == n && links == 2 * std::size_t{n} && is(torus_graph(side, side));
}

}  // namespace hearsay
