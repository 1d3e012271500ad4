#pragma once

#include <optional>
#include <vector>

#include "algorithms/compression/quantizers/grid.hpp"
#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/scratch.hpp"

namespace hearsay {

/// The grid of `grid(step)`, whose codes travel modulo k only. Receivers read them near a vector y, their
/// side information, which the sender knows as well (EncodeInput::near; empty for zeros).
///
///   code     q_i = floor(z_i / step + u_i), as grid(step);   p_i = the whole number nearest to y_i / step
///   bound    k = the least with -k/2 <= q_i - p_i < k/2 for every i of a bucket; or the k that is spelled
///   sent     w_i = q_i mod k, and a checksum of all q_i
///   read     q_i = the member of w_i + k Z nearest to p_i
///   in full  w_i = q_i mod k_0, read near 0, with k_0 the least for this; without y
///   decoded  C(z)_i = q_i step
///
/// A bucket is sent in full if k is too small for it or above 65,536, or if k is not spelled and larger than
/// k_0: then y is of no use. So C(z) and the error are those of grid(step) whatever y and k are, and only the
/// number of bytes depends on them. If the receiver has another y than the sender, it reads q_i rightly as
/// long as it is inside the bound, too; else the checksum says so (`out_of_reach`), but for one message in
/// 65,536. Unless spelled otherwise, a bucket has 32 coordinates: a large one makes few others longer.
///
/// Message    u16 the checksum; per bucket a byte that names k, and the w_i (RadixDigits), about log2 k bits
///            each. The byte: 0 ... 128: in full, k_0 = 2^(byte/4), rounded up; 129 ... 193: k =
///            2^((byte - 129)/4), rounded up; 254: the k that is spelled. 255 alone: no numbers.
/// Failure    as grid(step): `saturated`, `not_finite`; such a message decodes as `not_finite`.
/// Source     Davies, Gurunathan, Moshrefi, Ashkboos, Alistarh 2021 (arXiv:2002.09268), lattice quantization
///            with side information, with the cubic lattice.
/// Departs    the paper fixes k by a bound on |z - y| that holds with high probability. Here the sender knows
///            y, so it takes the k that suffices, for each bucket, and nothing is ever lost.
template <class Scalar>
class NearGrid final : public Compressor<Scalar>, public KeepsScratch {
 public:
  /// `modulus`: k. Empty: the least for every bucket.
  NearGrid(double step, std::optional<std::uint64_t> modulus, Buckets buckets);

  std::string spelling() const override { return grid_.spelling(); }
  Traits traits(std::size_t dimension) const override;
  std::size_t scratch_bytes(std::size_t dimension, CodecUse) const override {
    return dimension * (sizeof(std::int32_t) + sizeof(std::int64_t) + sizeof(Scalar));
  }
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  /// accumulate_near with y = 0.
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  CodecStatus accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near, Scalar scale,
                              std::span<Scalar> into) override;

 private:
  CodecStatus decode(std::span<const std::byte> packet, std::span<const Scalar> near);
  bool predict(std::span<const Scalar> near);

  double step_;
  Grid<Scalar> grid_;
  std::optional<std::uint64_t> modulus_;
  Buckets buckets_;
  std::vector<std::int32_t> codes_;        ///< scratch: q
  std::vector<std::int64_t> predictions_;  ///< scratch: p
  std::vector<Scalar> values_;             ///< scratch: C(z)
};

extern template class NearGrid<float>;
extern template class NearGrid<double>;

}  // namespace hearsay
