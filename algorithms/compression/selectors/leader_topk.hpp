#pragma once

#include "algorithms/compression/selectors/topk.hpp"

namespace hearsay {

/// ScaleCom's CLT-k: the k coordinates of largest magnitude of the *leader's* vector, kept by all peers. It
/// commutes with the mean, so the sum of n messages has k entries, not up to n k. For the leader it is top-k,
/// with contraction k/d. For a follower it is neither unbiased nor contractive, since its own coordinates
/// there may be small. (If the misses are spread over the top-k, in expectation 1 - delta = h/k + (1 - h/k)
/// (1 - delta_topk) with 2h the Hamming distance of the two choices.) For methods with a common leader and
/// error feedback (qsgd-allreduce, lgc-ring).
///
/// Message   without shared indices, that of topk.
/// Ties      to the lowest index, as topk.
/// Source    Chen et al. 2020 (ScaleCom), arXiv:2104.11125, section 3. Departs: exact top-k instead of the
///           chunk-wise quasi-sort.
template <class Scalar>
class LeaderTopK final : public Selector<Scalar> {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit LeaderTopK(SelectionSize size) : size_(size), topk_(size) {}

  std::string spelling() const override { return "leader_topk(" + size_.spelling() + ")"; }
  Traits traits(std::size_t dimension) const override { return topk_.traits(dimension); }
  std::size_t most(std::size_t dimension) const override { return topk_.most(dimension); }
  bool shares_indices() const override { return true; }
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override {
    topk_.select(input, seed, selection);
  }

 private:
  SelectionSize size_;
  TopK<Scalar> topk_;
};

extern template class LeaderTopK<float>;
extern template class LeaderTopK<double>;

}  // namespace hearsay
