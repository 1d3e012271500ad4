#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/selectors/selection.hpp"

namespace hearsay {

/// Rand-k: k coordinates drawn without replacement, each of the d equally likely; the others decode to 0.
///
///   unscaled  C(z)_i = z_i        on the subset: contractive, E ||C(z) - z||^2 = (1 - k/d) ||z||^2, biased
///   scaled    C(z)_i = z_i d / k  on the subset: unbiased, omega = d/k - 1 exactly
///
/// Methods that need a contraction take the unscaled form (CHOCO-SGD diverges with the scaled one).
///
/// Seed       16 bytes, from which the receiver draws the subset; no index travels.
/// Subset     Floyd's algorithm (Bentley, Floyd 1987) on a bit map. The smaller of the subset and its
///            complement is drawn: O(min(k, d-k) + d/64).
template <class Scalar>
class RandK final : public Selector<Scalar> {
 public:
  static std::unique_ptr<Selector<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  RandK(SelectionSize size, bool scaled) : size_(size), scaled_(scaled) {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t most(std::size_t dimension) const override { return size_.of(dimension); }
  Scalar factor(std::size_t dimension) const override;
  std::size_t seed_bytes(std::size_t) const override { return sizeof(Seed); }
  void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) override;
  void draw(std::span<const std::byte> seed, std::size_t dimension,
            std::vector<std::uint32_t>& indices) override;

 private:
  struct Seed {
    std::uint64_t a;
    std::uint64_t b;
  };

  SelectionSize size_;
  bool scaled_;
  std::vector<std::uint64_t> subset_;  ///< scratch: bit i of the map is set if coordinate i is sent
};

extern template class RandK<float>;
extern template class RandK<double>;

}  // namespace hearsay
