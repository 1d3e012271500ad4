#pragma once

#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// AdaComp: in each bin, what the latest gradient may have made the largest.
///
///   G = residue + dW                 the vector to encode: what is left of earlier messages, and the latest gradient
///   H = G + dW                       the latest gradient counted twice (the paper's scale factor of 2)
///   keep i  iff  |H_i| >= max_{j in i's bin} |G_j|
///   scale = mean over the bins of max |G_j|       what a ternary quantizer behind it takes
///
/// dW is EncodeInput::latest; without one, all of G is new (dW = G) and what is kept is at least half its bin's
/// maximum. So it is behind fwht and kashin, too; behind clip, dW is what the latest gradient changed of the clipped
/// vector.
///
/// Biased, and no uniform contraction: a bin may send nothing, what it sends need not be its largest, and the shared scale may
/// exceed it. For hosts with error feedback, which keep residue = G - C(G), so that sent + residue = G.
///
/// Bins       runs of `bin` coordinates within each layer (the last of a layer may be shorter): 500 for fully connected and
///            recurrent layers, 50 for convolutions in the paper. Behind a transform, of the coefficients.
/// Tail       "ternary | delta" where nothing follows: signs times the scale; "adacomp | delta" sends the values themselves.
/// Count      depends on the data, may be 0. A bin of zeros, where every 0 >= 0 would be sent, sends nothing.
/// Rounding   H in Scalar, the scale's sum in double and in the order of the bins.
/// Source     Chen, Choi, Brand, Agrawal, Zhang, Gopalakrishnan 2018 (AdaComp, arXiv:1712.02679), algorithm 2.
/// Departure  one scale for the message, where the paper has one per layer; bins of zeros as above; how indices travel is the
///            index coder's business, not the paper's 8 or 16 bits with the value.
template <class Scalar>
class AdaComp final : public Selector<Scalar> {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  /// Layers as a selector's segments have them; none: the vector is one.
  AdaComp(std::size_t bin, const SegmentTable& segments);

  std::string spelling() const override { return "adacomp(bin=" + std::to_string(bin_) + ")"; }
  Traits traits(std::size_t dimension) const override;
  std::size_t most(std::size_t dimension) const override { return dimension; }
  bool count_varies() const override { return true; }
  bool uses_latest() const override { return true; }
  std::string default_tail() const override { return "ternary | delta"; }
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override;

 private:
  /// Appends what the bin keeps; its largest |G|.
  double select_in_bin(const EncodeInput<Scalar>& input, std::size_t begin, std::size_t end,
                       std::vector<std::uint32_t>& kept) const;

  std::size_t bin_;
  std::vector<std::size_t> layer_ends_;  ///< empty: one layer
};

extern template class AdaComp<float>;
extern template class AdaComp<double>;

}  // namespace hearsay
