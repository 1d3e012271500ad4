#pragma once

#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Keeps the large coordinates, |z_i| >= t; the others decode to 0.
///
///   threshold(rel=r)   t = r max_i |z_i|, 0 < r <= 1
///   threshold(abs=x)   t = x > 0; if no coordinate reaches it, the largest alone is kept
///
/// The number of kept coordinates depends on the data and is at least one (a message with none is malformed).
/// Zeros are never kept, except the first coordinate of a zero vector. Biased. Both forms contract:
///
///   rel   at most d - 1 coordinates are dropped, each below r times the largest:
///         ||C(z) - z||^2 <= (1 - delta) ||z||^2 with delta = 1 / (1 + (d - 1) r^2)
///   abs   the largest is kept: delta = 1/d; and no coordinate is off by x or more
///
/// Ties       if only the largest coordinate is kept and several are equal, the lowest index.
/// Rounding   t is a double; |z_i| is compared with it exactly.
/// Source     the filter of FastSGD (Yang et al. 2021), which drops integers floor(log_b(1/|g|)) beyond a
///            limit: the same as a threshold for the magnitude. QCMD and QRDA Adagrad (Xu et al. 2022) use
///            such a threshold, too.
template <class Scalar>
class Threshold final : public Selector<Scalar> {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  Threshold(double limit, bool relative) : limit_(limit), relative_(relative) {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t most(std::size_t dimension) const override { return dimension; }
  bool count_varies() const override { return true; }
  std::size_t fewest() const override { return 1; }
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override;

 private:
  double limit_;
  bool relative_;
  std::vector<std::uint32_t> found_;  ///< scratch, kept from message to message
};

extern template class Threshold<float>;
extern template class Threshold<double>;

}  // namespace hearsay
