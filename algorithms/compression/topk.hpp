#pragma once

#include "algorithms/compression/selection.hpp"
#include "algorithms/compression/selector.hpp"

namespace hearsay {

/// Top-k: the k coordinates of largest magnitude, the others 0. Biased and contractive:
/// ||C(z) - z||^2 <= (1 - k/d) ||z||^2 for every z. For methods with error feedback.
///
/// Selection  exact; among equal magnitudes at the border the lowest indices are kept, so that the message
///            is a function of z alone. Cost: one sweep per 11 bits of Scalar (3 for float), no comparisons.
template <class Scalar>
class TopK final : public Selector<Scalar> {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit TopK(SelectionSize size) : size_(size) {}

  std::string spelling() const override { return "topk(" + size_.spelling() + ")"; }
  Traits traits(std::size_t dimension) const override;
  std::size_t most(std::size_t dimension) const override { return size_.of(dimension); }
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override;

 private:
  SelectionSize size_;
};

extern template class TopK<float>;
extern template class TopK<double>;

}  // namespace hearsay
