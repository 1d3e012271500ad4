#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/objectives/home.hpp"
#include "algorithms/objectives/model.hpp"
#include "algorithms/objectives/problem.hpp"

namespace hearsay {

/// f_i(x) = 1/2 sum_k a_k (x_k - c_k)^2 + (l2/2) ||x||^2, with curvatures a > 0 and center c.
///
/// A quadratic has one sample (m_i = 1), so its gradient is exact with every minibatch. Memory 2 d.
template <class Scalar>
class SeparableQuadratic final : public Objective<Scalar> {
 public:
  SeparableQuadratic(Vector<Scalar> curvature, Vector<Scalar> center, double l2);

  Index dimension() const override { return center_.size(); }
  Index sample_count() const override { return 1; }
  double loss(const Vector<Scalar>& x) const override;
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override;
  const Vector<Scalar>& curvature() const { return curvature_; }
  const Vector<Scalar>& center() const { return center_; }

 private:
  Vector<Scalar> curvature_;
  Vector<Scalar> center_;
  double l2_;
};

/// f_i(x) = 1/2 (x - c)^T A (x - c) + (l2/2) ||x||^2, with A symmetric positive definite. Memory d^2 + d.
template <class Scalar>
class DenseQuadratic final : public Objective<Scalar> {
 public:
  using Matrix = DenseRows<Scalar>;

  DenseQuadratic(Matrix curvature, Vector<Scalar> center, double l2);

  Index dimension() const override { return center_.size(); }
  Index sample_count() const override { return 1; }
  double loss(const Vector<Scalar>& x) const override;
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override;
  const Matrix& curvature() const { return curvature_; }
  const Vector<Scalar>& center() const { return center_; }

 private:
  Matrix curvature_;
  Vector<Scalar> center_;
  double l2_;
};

/// Returns a heterogeneous problem with a known minimiser. Every peer has its own quadratic. The eigenvalues
/// of its curvature are uniform in [1/2, 3/2]. The centers are c_i = c + u_i, with c and u_i standard normal,
/// so the peers' own minimisers differ from the common one. The start is 0. `minimiser` solves the pooled
/// problem in double:
///
///     (sum_i A_i + n l2 I) x = sum_i A_i c_i
///
/// Gradient descent is stable for step sizes below 2 / (3/2 + l2). Peer i's function depends on the seed and
/// i alone; `each_peer` draws it.
template <class Scalar>
Problem<Scalar> separable_quadratics(Index dimension, std::size_t peers, double l2, std::uint64_t seed,
                                     const EachPeer& each_peer = one_by_one);

/// The same with full matrices A_i = Q_i diag(a_i) Q_i^T, where Q_i is a product of two random reflections.
/// Memory n d^2, and 2 d^2 in double while one of them is drawn; they are drawn one by one. Time n d^2 + d^3.
template <class Scalar>
Problem<Scalar> dense_quadratics(Index dimension, std::size_t peers, double l2, std::uint64_t seed);

/// Returns peer i's function of the same problem, bit for bit, and nothing else of it. Memory 2 d, also
/// meanwhile; time 3 d draws.
template <class Scalar>
std::unique_ptr<const Objective<Scalar>> separable_quadratic(Index dimension, std::size_t i, double l2,
                                                             std::uint64_t seed);
template <class Scalar>
std::unique_ptr<const Objective<Scalar>> dense_quadratic(Index dimension, std::size_t i, double l2,
                                                         std::uint64_t seed);

ModelInfo quadratic_info();

}  // namespace hearsay
