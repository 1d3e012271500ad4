#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/compression/selection.hpp"

namespace hearsay {

/// Rand-k: k coordinates drawn without replacement, each of the d equally likely; the others 0.
///
///   unscaled  C(z)_i = z_i        on the subset: contractive, E ||C(z) - z||^2 = (1 - k/d) ||z||^2, biased
///   scaled    C(z)_i = z_i d / k  on the subset: unbiased, omega = d/k - 1 exactly
///
/// Use the unscaled form where a method wants a contraction (CHOCO-SGD diverges with the scaled one).
///
/// Message    a 16-byte seed, then the k values (Scalar, ascending index, already scaled):
///            16 + k sizeof(Scalar) bytes. The receiver draws the subset from the seed; no index is sent.
///            An empty vector has an empty message.
/// Subset     Floyd's algorithm (Bentley, Floyd 1987) on a bit map; the smaller of the subset and its
///            complement is drawn: O(min(k, d-k) + d/64).
/// Failure    Inf or NaN anywhere in z (`not_finite`), or a scaled value out of range (`saturated`): the
///            values are NaN.
template <class Scalar>
class RandK final : public Compressor<Scalar> {
 public:
  static std::unique_ptr<Compressor<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  RandK(SelectionSize size, bool scaled) : size_(size), scaled_(scaled) {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;

 private:
  struct Seed {
    std::uint64_t a;
    std::uint64_t b;
  };
  std::size_t message_bytes(std::size_t dimension) const;
  /// Draws the subset that a seed stands for into `subset_`.
  void draw(Seed seed, std::size_t dimension);
  /// visit(entry, index) for the members of `subset_`, ascending.
  template <class Visit>
  void for_each_member(Visit visit) const;

  SelectionSize size_;
  bool scaled_;
  std::vector<std::uint64_t> subset_;  ///< scratch: bit i of the map is set where coordinate i is sent
};

extern template class RandK<float>;
extern template class RandK<double>;

}  // namespace hearsay
