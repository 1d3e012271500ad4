#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// SGP: stochastic gradient push. Push-sum gossip, for directed graphs. Each peer sends equal shares of its
/// mass, so it only has to know its out-degree. The ratio of two sums corrects for the uneven weights that
/// result.
///
///   gradient   g_i = grad F_i(z_i; xi_i)                  z_i = x_i / u_i is the model; u_i = 1 at the start
///   step       x_i <- x_i - eta g_i
///   push       send p_i (x_i, u_i) to all that hear i, keep as much           p_i = 1 / (1 + their number)
///   absorb     x_i <- sum_j p_j x_j,  u_i <- sum_j p_j u_j                over i itself and whom it hears
///
/// Sends      out-degree messages of d + 1 scalars per iteration, after the gradient.
/// Shapes     z, a mixed copy and g in R^d, u a number: memory 3 d.
/// Needs      nothing of W but who hears whom, in rounds whose union is strongly connected.
/// Invariant  sum_i u_i = n; sum_i x_i moves by -eta sum_i g_i, messages under way included; equal models
///            with zero gradients stay, bit for bit.
/// Source     Assran, Loizou, Ballas, Rabbat 2019 (arXiv:1811.10792), Algorithm 1; push-sum of Kempe, Dobra,
///            Gehrke 2003.
/// Departs    x = u z is kept and sent as the pair (z, p u), and absorbed in edge-difference form,
///            z_i <- z_i + sum_j (p_j u_j / u_i') (z_j - z_i): the same numbers, and agreement is a fixed
///            point.
template <class Scalar>
class Sgp final : public Algorithm<Scalar> {
 public:
  explicit Sgp(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return z_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Vector<Scalar> z_;       // x_i / u_i
  Vector<Scalar> weight_;  // u_i, one entry
  Vector<Scalar> mixed_;
};

MethodInfo sgp_info();

}  // namespace hearsay
