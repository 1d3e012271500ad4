#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/newton_schulz.hpp"

namespace hearsay {

/// muon(beta, N): momentum for every matrix of the model, its steps made nearly orthogonal.
///
///     per matrix   B <- beta B + G;   X = orthogonalise(G + beta B), N iterations (see NewtonSchulz)
///                  s = -eta sqrt(max(1, rows / columns)) X
///     the rest     adamw, with the same eta
///
/// Matrices are the segments of more than one row and column, outputs x inputs. The rest are vectors, and the
/// first and the last matrix of a model that has others between them (as its authors advise). A model of one
/// or two matrices has no others: Muon takes them all. Where there is no matrix, it is adamw.
///
/// The step does not change if all gradients of a matrix are 10 times as long.
///
/// Shapes     B of the size of the matrices, and adamw's m and v of the rest. Scratch: x, g, s of the rest,
///            and that of NewtonSchulz.
/// Source     Jordan et al. 2024, Muon: an optimizer for hidden layers in neural networks; beta 0.95, N 5.
template <class Scalar>
class Muon final : public LocalOptimizer<Scalar> {
 public:
  /// `layers` tile [0, dimension).
  Muon(double beta, std::uint64_t iterations, Index dimension, const SegmentTable& layers);

  std::string spelling() const override;
  void step(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
            Vector<Scalar>& step) override;
  void begin_anew() override;
  void visit_state(StateVisitor<Scalar>& visitor) override;

 private:
  void step_matrices(const Vector<Scalar>& gradient, Scalar step_size, Vector<Scalar>& step);
  void step_rest(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
                 Vector<Scalar>& step);

  double beta_;
  SegmentTable matrices_;
  SegmentTable rest_;
  NewtonSchulz<Scalar> newton_schulz_;
  Vector<Scalar> momentum_;                            // B of all matrices, one after the other
  std::unique_ptr<LocalOptimizer<Scalar>> rest_rule_;  // adamw
  Vector<Scalar> rest_x_;                              // x of the rest, one after the other
  Vector<Scalar> rest_gradient_;
  Vector<Scalar> rest_step_;
};

/// Returns the layers whose steps Muon makes orthogonal.
SegmentTable matrices_for_muon(const SegmentTable& layers);

}  // namespace hearsay
