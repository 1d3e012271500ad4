#pragma once

#include <cstdint>
#include <span>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// Makes a matrix nearly orthogonal by Newton-Schulz iterations:
///
///     X = M / ||M||_F, transposed where rows > columns;   N times   X <- a X + (b A + c A A) X,  A = X X'
///     (a, b, c) = (3.4445, -4.7750, 2.0315)
///
/// If M = U S V', then X = U p(S) V', where p is the N-fold polynomial a s + b s^3 + c s^5 of S / ||S||.
/// After 5 iterations p is between 0.68 and 1.15 where the singular values of M are at most 100-fold apart,
/// and between 0.28 and 1.20 where they are at most 1000-fold apart. It does not tend to 1, and need not.
///
/// About 2 N (2 r^2 c + r^3) flops for r x c, r <= c. Each sum has one order, so the bits are those of all
/// machines.
///
/// Source: Jordan et al. 2024, Muon: an optimizer for hidden layers in neural networks.
template <class Scalar>
class NewtonSchulz {
 public:
  /// Takes the memory for each matrix of `shapes`: 3 times the largest, and twice the square of its shorter
  /// side.
  NewtonSchulz(std::uint64_t iterations, const SegmentTable& shapes);

  /// matrix <- X for a matrix of one of the shapes, row-major. Zero stays zero. No allocation.
  void orthogonalise(std::span<Scalar> matrix, const Segment& shape);

  void visit(StateVisitor<Scalar>& visitor);
  std::uint64_t iterations() const { return iterations_; }

 private:
  std::uint64_t iterations_;   // N
  Vector<Scalar> x_;           // X, r x c
  Vector<Scalar> transposed_;  // X', c x r
  Vector<Scalar> next_;        // r x c
  Vector<Scalar> gram_;        // A, r x r
  Vector<Scalar> polynomial_;  // b A + c A A, r x r
};

}  // namespace hearsay
