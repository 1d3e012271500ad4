#pragma once

#include <memory>
#include <span>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// A local step rule: what a peer does with its gradient g before it gossips. The step is x <- x + s,
///
///     sgd                    s = -eta g
///     heavy-ball(beta)       m <- beta m + g;  s = -eta m                          (Polyak 1964)
///     nesterov(beta)         m <- beta m + g;  s = -eta (g + beta m)               (Nesterov 1983)
///     adagrad(delta)         G <- G + g^2;  H = delta + sqrt(G);  s = -eta g / H   (Duchi et al. 2011)
///     adagrad-da(delta)      z <- z + eta g;  H as above;  s = z / H before this step - z / H
///                                                                    (the same, dual averaging)
///     adam(beta1, beta2)     m, v <- running means of g, g^2;  s = -eta m' / (sqrt(v') + 1e-8),
///                            m', v' without their bias               (Kingma, Ba 2015, Algorithm 1)
///     amsgrad(beta1, beta2)  u <- max(u, v);  s = -eta m / (sqrt(u) + 1e-8)
///                                                                    (Reddi et al. 2018, Algorithm 2)
///     adamw(beta1, beta2, decay)
///                            s = that of adam - eta decay x          (Loshchilov, Hutter 2019, Algorithm 2)
///     novograd(beta1, beta2, decay)
///                            v_l <- beta2 v_l + (1 - beta2) ||g_l||^2 per layer l, ||g_l||^2 at first;
///                            m_l <- beta1 m_l + g_l / (sqrt(v_l) + 1e-8) + decay x_l;  s = -eta m
///                                                                    (Ginsburg et al. 2019, Algorithm 1)
///     muon(beta, N)          momentum made orthogonal, per matrix; the rest by adamw: see Muon
///                                                                    (Jordan et al. 2024)
///
/// Dual averaging without gossip is at x_0 - z / H. Its weights are those of Nesterov 2009 (weighted dual
/// averages): each gradient counts by the eta of its own step. An eta_t in front of a plain sum would take
/// the earlier steps back where it falls.
///
/// x is the point at which g was taken. The decay of adamw and novograd is decoupled: it is no part of g, and
/// does not enter the mean squares.
///
/// Squares, quotients and roots are those of each coordinate. Every peer keeps a state of its own, from its
/// own gradients; only sgd has none. If the peers' data differ, so do the states. A gossip method that mixes
/// the models alone then ends at another point than a method that would mix the states, too.
template <class Scalar>
class LocalOptimizer {
 public:
  virtual ~LocalOptimizer() = default;
  virtual std::string spelling() const = 0;
  /// step <- s, for the gradient g that was taken at x, and the step size eta.
  virtual void step(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
                    Vector<Scalar>& step) = 0;
  /// Sets the state to that before the first step.
  virtual void begin_anew() = 0;
  /// Visits the state that is kept between steps.
  virtual void visit_state(StateVisitor<Scalar>& visitor) = 0;
  /// True if the step is s = -eta g, so that `step` need not be called.
  virtual bool is_sgd() const { return false; }
};

/// Returns the rule that `spelling` names. The layers are those of `segments`. Throws Misuse (key
/// algorithm.optimizer).
template <class Scalar>
std::unique_ptr<LocalOptimizer<Scalar>> make_local_optimizer(const std::string& spelling, Index dimension,
                                                             const SegmentTable& segments);

std::span<const Choice> local_optimizer_choices();

}  // namespace hearsay
