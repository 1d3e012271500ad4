#pragma once

#include "algorithms/objectives/regularizer.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// QCMD AdaGrad and QRDA AdaGrad: a hub; quantized gradients, and AdaGrad on f + h, h by its proximal map: by
/// composite mirror descent, or by regularized dual averaging.
///
///   down    hub -> i:   x, as (index, value) pairs if that is shorter   (t = 1: an empty message)
///   up      i -> hub:   c_i = C(g_i(x))
///   metric  hub:        gbar = (1/r) sum_{i in S} c_i;   G <- G + gbar^2;   M = delta + sqrt(G)
///   step    hub:  qcmd  x <- argmin <gbar, x> + h(x) + (1/(2 eta)) ||x - x before||_M^2
///                            = prox_{eta h}^M (x - eta gbar / M)
///                 qrda  z <- z + gbar;   x <- argmin <z, x> + t h(x) + (1/(2 eta)) ||x - x_0||_M^2
///                            = prox_{t eta h}^M (x_0 - eta z / M)
///
/// ||x||_M^2 = sum_k M_k x_k^2; squares, roots and quotients are those of each coordinate; delta = 1e-8. The
/// hub is peer 0, and a worker, too, if it has data.
///
/// Sends      hub: r messages of at most 4d bytes, of 8 nnz + 4 if fewer than half of the entries are not 0
///            (in double 8d, 12 nnz + 4); worker: one of |C| bytes.
/// Options    model.regularizer = h, a sum over coordinates.
/// Shapes     x, g in R^d: memory worker 2 d; hub besides gbar, G, the steps 5 d, qrda with z and x_0 7 d.
/// Needs      a star around peer 0. C unbiased: a bias enters the metric, too. Any worker may be absent.
/// Invariant  with C none they are AdaGrad's two forms. Entries that h pushes to 0 are 0 exactly.
///            Quantization noise moves them in qcmd; in qrda it averages out.
/// Source     Xu et al. 2022 (arXiv:2208.05631) (reconstruction); AdaGrad: Duchi, Hazan, Singer 2011, figures
///            1 and 2.
/// Departs    the paper's quantizer clips by a threshold whose rule is not known to us: any unbiased
///            compressor may be used, and clip(2.5sigma) | dither(...) is close to it. eta_t multiplies the
///            whole z: if a schedule falls, the model goes back towards x_0.
template <class Scalar>
class QuantizedAdagrad : public Algorithm<Scalar> {
 public:
  enum class Form { mirror_descent, dual_averaging };
  QuantizedAdagrad(const MethodInput<Scalar>& input, Form form);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  void step(std::uint64_t number);

  bool is_hub_;
  Form form_;
  const Regularizer<Scalar>* regularizer_;  // h
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> x_;

  // Of the hub.
  Vector<Scalar> mean_;     // gbar
  Vector<Scalar> squares_;  // G
  Vector<Scalar> steps_;    // eta / M
  Vector<Scalar> dual_;     // z, of qrda
  Vector<Scalar> centre_;   // x_0, of qrda
};

template <class Scalar>
class QcmdAdagrad final : public QuantizedAdagrad<Scalar> {
 public:
  explicit QcmdAdagrad(const MethodInput<Scalar>& input)
      : QuantizedAdagrad<Scalar>(input, QuantizedAdagrad<Scalar>::Form::mirror_descent) {}
};

template <class Scalar>
class QrdaAdagrad final : public QuantizedAdagrad<Scalar> {
 public:
  explicit QrdaAdagrad(const MethodInput<Scalar>& input)
      : QuantizedAdagrad<Scalar>(input, QuantizedAdagrad<Scalar>::Form::dual_averaging) {}
};

MethodInfo qcmd_adagrad_info();
MethodInfo qrda_adagrad_info();

}  // namespace hearsay
