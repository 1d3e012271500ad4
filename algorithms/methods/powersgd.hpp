#pragma once

#include "algorithms/methods/parts/all_reduce.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The layers of a model, with the places of their parts of two vectors: of what is summed on the left, P and
/// the layers that are no matrices, and of Q.
struct LowRankLayers {
  struct Layer {
    std::size_t begin, size;  ///< in x
    std::size_t rows, columns;
    std::size_t rank;  ///< 0: no matrix, travels in full
    std::size_t left, left_size;
    std::size_t right, right_size;
  };
  LowRankLayers(const SegmentTable& segments, std::uint64_t rank);

  std::vector<Layer> layers = {};
  std::size_t left_size = 0;
  std::size_t right_size = 0;
};

/// PowerSGD by all-reduce: centralized SGD on gradients of low rank, one step of a power iteration each, with
/// error feedback. PyTorch has it as a communication hook.
///
///   gradient   M_i = G_i + E_i                      G_i, E_i, M_i a layer's rows x columns
///   left       P = (1/n) sum_j M_j Q                all-reduce, together with the layers that are no
///                                                   matrices, of which the mean is taken as it is
///   directions P <- its columns made orthonormal
///   right      Q = (1/n) sum_j M_j' P               all-reduce
///   remember   E_i = M_i - P Q'
///   step       x <- x - eta P Q'
///   warm start Q is kept for the next iteration
///
/// Options    rank, the columns of P and Q, at most a layer's shorter side; reduce, how sums are formed
///            (AllReduce).
/// Sends      2(n-1) messages of 4 (sum of rank rows, and the sizes of other layers) / n bytes, then 2(n-1)
///            of 4 (sum of rank columns) / n (8 in double), to the peer with the next id; or log2 n of each
///            that are n times as long (reduce = "doubling"). Whatever the mixing graph.
/// Shapes     x, M_i, G_i in R^d, and P and Q, which are shorter than d: memory 4 d at most.
/// Needs      nothing of W; a model with matrices (softmax, mlp), for without them no bytes are saved.
/// Invariant  all models are equal, bit for bit. P Q' depends on the mean of the M_j alone, so n peers are
///            one peer with the mean gradient, to rounding. At full rank it is all-reduce SGD, to rounding.
/// Source     Vogels, Karimireddy, Jaggi 2019 (arXiv:1905.13727), Algorithms 1 and 2.
/// Departs    E_i is what the common step left of M_i, as in the authors' and PyTorch's code; Algorithm 2
///            subtracts P (M_i' P)' instead. Both have the same mean, and the models depend on nothing else.
///            If the step size changes, E_i is scaled by eta_{t-1} / eta_t, so that it stays a part of a
///            step. No momentum. Layers that low rank does not make shorter are not left out.
template <class Scalar>
class PowerSgd final : public Algorithm<Scalar> {
 public:
  explicit PowerSgd(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  using Layer = LowRankLayers::Layer;
  std::span<Scalar> of_layer(Vector<Scalar>& vector, const Layer& layer) {
    return view(vector).subspan(layer.begin, layer.size);
  }
  /// The k-th column of a layer's part of left_.
  std::span<Scalar> left_column(const Layer& layer, std::size_t k) {
    return view(left_).subspan(layer.left + k * layer.rows, layer.rows);
  }
  std::span<Scalar> right_column(const Layer& layer, std::size_t k) {
    return view(right_).subspan(layer.right + k * layer.columns, layer.columns);
  }
  void compute_left();
  void compute_right();
  void remember_and_step(Scalar step_size);

  PeerId peer_count_;
  AllReduce all_reduce_;
  LowRankLayers layers_;
  Vector<Scalar> x_;
  Vector<Scalar> error_;  // E_i, M_i within an iteration
  Vector<Scalar> left_;   // P of all layers, column by column
  Vector<Scalar> right_;  // Q
};

MethodInfo powersgd_info();

}  // namespace hearsay
