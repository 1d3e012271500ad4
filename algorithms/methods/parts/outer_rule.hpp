#pragma once

#include <span>
#include <string>

#include "algorithms/seam/algorithm.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// What a round of local steps does to the common model x (algorithm.outer). D in R^d is the pseudo-gradient:
/// the mean over the peers of x - y_i, y_i being peer i's model after its local steps from x. m = 0 at first.
///
///   none(rho)              x <- x - rho D                                           (1: local SGD)
///   heavy-ball(rho, beta)  m <- beta m + D;          x <- x - rho m
///   nesterov(rho, beta)    m <- beta m + D;          x <- x - rho (D + beta m)      (DiLoCo)
///   slowmo(alpha, beta)    m <- beta m + D / eta_t;  x <- x - alpha eta_t m         (SlowMo)
///
/// Without a schedule of the step size, slowmo(alpha, beta) is heavy-ball(alpha, beta). Momentum is that of
/// torch.optim.SGD without dampening.
struct OuterRule {
  enum class Kind { none, heavy_ball, nesterov, slowmo };
  Kind kind = Kind::none;
  double rate = 1.0;      ///< rho, or alpha; above 0
  double momentum = 0.0;  ///< beta; in [0, 1)

  /// Throws Misuse (key algorithm.outer).
  static OuterRule parse(const std::string& text);
};

/// An outer rule and its m.
template <class Scalar>
class OuterStep {
 public:
  OuterStep(const OuterRule& rule, Index dimension) : rule_(rule) {
    if (rule.kind != OuterRule::Kind::none) momentum_.setZero(dimension);
  }

  /// x <- x - ..., for the pseudo-gradient D and eta_t.
  void apply(const Vector<Scalar>& pseudo_gradient, Scalar step_size, Vector<Scalar>& x) {
    apply_from(0, pseudo_gradient, step_size, x);
  }
  /// The same for the coordinates of x that begin at `begin`, D being theirs alone.
  void apply_from(Index begin, const Eigen::Ref<const Vector<Scalar>>& pseudo_gradient, Scalar step_size,
                  Vector<Scalar>& x);

  void visit(StateVisitor<Scalar>& visitor) {
    if (momentum_.size() != 0) visitor.state("outer momentum", momentum_);
  }

 private:
  OuterRule rule_;
  Vector<Scalar> momentum_;  // m
};

}  // namespace hearsay
