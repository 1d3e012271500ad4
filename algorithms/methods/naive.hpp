#pragma once

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Naive quantized D-PSGD, a negative control: it compresses the models themselves, and shows why that fails.
///
///   gradient   g_i = grad F_i(x_i; xi_i)
///   publish    c_i = C(x_i), encoded once, sent to every neighbor
///   mix, step  x_i <- C(x_i) + sum_j w_ij (C(x_j) - C(x_i)) - eta g_i        (the self term is C(x_i), too)
///
/// With order = "adapt-then-combine", the default for H > 1 local steps, the steps come before "publish", and
/// the last line is x_i <- C(x_i) + sum_j w_ij (C(x_j) - C(x_i)).
///
/// The error of C is relative to the model, not to what is left to learn, and enters the average in every
/// iteration. The result is a floor that no step size schedule removes, or a random walk of the mean.
///
/// Options    optimizer, local_steps: see LocalSteps; order, above.
/// Sends      deg messages of |C| bytes per iteration.
/// Shapes     x, C(x_i), one C(x_j), the mixed model, g in R^d; memory 5d.
/// Needs      W doubly stochastic. It takes any compressor, but converges with `none` only.
/// Invariant  with compressor none it is D-PSGD, in either order; nothing else is preserved.
/// Source     the "naive compression" of Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), section 3.
template <class Scalar>
class Naive final : public Algorithm<Scalar> {
 public:
  explicit Naive(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Slot publish(Iteration<Scalar>& it);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  bool adapts_first_;
  Vector<Scalar> x_;
  Vector<Scalar> heard_self_;      // C(x_i)
  Vector<Scalar> heard_neighbor_;  // C(x_j), one neighbor at a time
  Vector<Scalar> mixed_;
  LocalSteps<Scalar> local_;
};

MethodInfo naive_info();

}  // namespace hearsay
