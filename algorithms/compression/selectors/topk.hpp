#pragma once

#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"
#include "algorithms/compression/selectors/selection.hpp"

namespace hearsay {

/// Top-k: the k coordinates of largest magnitude; the others decode to 0. Biased and contractive: ||C(z) -
/// z||^2 <= (1 - k/d) ||z||^2 for every z. For methods with error feedback. With k = d it loses nothing, and
/// is unbiased.
///
/// Selection  exact; among equal magnitudes at the border the lowest indices are kept, so that the message is
///            a function of z alone. For long vectors a sample gives a bound that nearly always k
///            coordinates, or a few more, exceed. One sweep collects these, and the k-th largest is found
///            among them. In all other cases (few coordinates, many kept, a misleading sample, many equal
///            magnitudes) the k-th largest is found in the whole vector, with one sweep per 11 bits of Scalar
///            (3 for float).
template <class Scalar>
class TopK final : public Selector<Scalar>, public KeepsScratch {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit TopK(SelectionSize size) : size_(size) {}

  std::string spelling() const override { return "topk(" + size_.spelling() + ")"; }
  Traits traits(std::size_t dimension) const override;
  std::size_t most(std::size_t dimension) const override { return size_.of(dimension); }
  bool keeps_largest() const override { return true; }
  std::size_t scratch_bytes(std::size_t dimension, CodecUse use) const override;
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override;

 private:
  /// The selection by a sample. True if it has filled `kept`; false if the whole vector must be searched.
  bool select_among_candidates(std::span<const Scalar> z, std::span<std::uint32_t> kept);

  static std::size_t most_candidates(std::size_t dimension, std::size_t k) { return 2 * k + dimension / 64; }

  SelectionSize size_;

  // Scratch, kept from message to message.
  std::vector<Magnitude<Scalar>> magnitudes_;
  std::vector<std::uint32_t> candidates_;
};

extern template class TopK<float>;
extern template class TopK<double>;

}  // namespace hearsay
