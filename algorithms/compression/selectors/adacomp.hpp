#pragma once

#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// AdaComp: keeps, in each bin, the coordinates that the latest gradient may have made the largest.
///
///   G = residue + dW                 the vector to encode: what earlier messages left, and the latest
///   gradient
///   H = G + dW                       the latest gradient counted twice (the paper's scale factor of 2)
///   keep i  iff  |H_i| >= max_{j in i's bin} |G_j|
///   scale = mean over the bins of max |G_j|       for a ternary quantizer after this stage
///
/// dW is EncodeInput::latest. Without it all of G counts as new (dW = G), and a kept coordinate is at least
/// half the maximum of its bin. This is also so after fwht and kashin. After clip, dW is the change of the
/// clipped vector by the latest gradient.
///
/// Biased, without a uniform contraction: a bin may send nothing, a kept coordinate need not be the largest
/// of its bin, and the shared scale may exceed it. For methods with error feedback, which keep residue = G -
/// C(G), so that sent + residue = G.
///
/// Bins       runs of `bin` coordinates within each layer (the last of a layer may be shorter). The paper
///            takes 500 for fully connected and recurrent layers, 50 for convolutions. After a transform that
///            mixes, runs of its coefficients.
/// Tail       "ternary | delta" if nothing follows: signs times the scale. "adacomp | delta" sends the values
///            themselves.
/// Count      depends on the data, may be 0. A bin of zeros sends nothing, although 0 >= 0.
/// Rounding   H in Scalar, the scale's sum in double and in the order of the bins.
/// Source     Chen, Choi, Brand, Agrawal, Zhang, Gopalakrishnan 2018 (AdaComp, arXiv:1712.02679), algorithm
///            2.
/// Departs    one scale for the message, not one per layer as in the paper; bins of zeros as above; indices
///            travel by the index coder, not in 8 or 16 bits with the value as in the paper.
template <class Scalar>
class AdaComp final : public Selector<Scalar> {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  /// The layers are those of `segments`; if there are none, the vector is one layer.
  AdaComp(std::size_t bin, const SegmentTable& segments);

  std::string spelling() const override { return "adacomp(bin=" + std::to_string(bin_) + ")"; }
  Traits traits(std::size_t dimension) const override;
  std::size_t most(std::size_t dimension) const override { return dimension; }
  bool count_varies() const override { return true; }
  bool uses_latest() const override { return true; }
  std::string default_tail() const override { return "ternary | delta"; }
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override;

 private:
  /// Appends what the bin keeps to `kept`. Returns its largest |G|.
  double select_in_bin(const EncodeInput<Scalar>& input, std::size_t begin, std::size_t end,
                       std::vector<std::uint32_t>& kept);

  std::size_t bin_;
  std::vector<std::size_t> layer_ends_;  ///< empty: one layer

  // Scratch, kept from message to message.
  std::vector<Scalar> sums_;  ///< H of a bin
  std::vector<std::uint32_t> found_;
};

extern template class AdaComp<float>;
extern template class AdaComp<double>;

}  // namespace hearsay
