#pragma once

#include <optional>
#include <vector>

#include "algorithms/compression/code_checksum.hpp"
#include "algorithms/compression/modulo_kernels.hpp"
#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Modulo quantizer: random rounding to a fixed grid, of which only the remainder modulo k is sent. A
/// receiver that holds a vector y near z, its side information, finds the multiple of k by itself.
///
///   code     q_i = floor(z_i / step + u_i),  u_i uniform in [0, 1);   sent: w_i = q_i mod k
///   decoded  C(z)_i = q_i step,  q_i the member of w_i + k Z nearest to y_i / step
///
/// If k step >= 2 (step + |z_i - y_i|), q is recovered exactly. Then C is unbiased, with E (C(z)_i - z_i)^2
/// <= step^2 / 4, however large z is. Otherwise the result would be off by multiples of k step. So each
/// bucket carries a checksum of 16 bits over its q: a mismatch gives `out_of_reach` (`malformed` without side
/// information). A sender that knows the side information of the receivers (EncodeInput::near) sends a bucket
/// for which the condition fails in full precision.
///
/// With `nearest`, u_i = 1/2: C is biased and deterministic, |C(z)_i - z_i| <= step / 2, and q is recovered
/// if k step > step + 2 |z_i - y_i|. So k = 2, one bit a coordinate, suffices within half a step.
///
/// Message    per bucket a byte, 0 or 1. After 0: the checksum (u16) and the w_i, ceil(log2 k) bits each, in
///            the places of places.hpp. After 1: the coordinates as Scalars.
/// Failure    Inf or NaN: the bucket is sent in full precision and decodes as `not_finite`.
/// Source     Davies, Gurunathan, Moshrefi, Ashkboos, Alistarh 2021 (arXiv:2002.09268), lattice quantization
///            with the cubic lattice; Lu, De Sa 2020 (Moniqua, arXiv:2002.11787), which takes the receiver's
///            own model for y.
/// Departs    both papers bound |z - y| beforehand. Here the sender tests the bound, and the receiver the
///            checksum, bucket by bucket. Moniqua's grid points lie half a step from ours.
template <class Scalar>
class Modulo final : public RoundingCompressor<Scalar>, public KeepsScratch {
 public:
  enum class Rounding { random, nearest };

  static std::unique_ptr<Compressor<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  Modulo(std::int64_t modulus, double step, Rounding rounding, Buckets buckets);

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t scratch_bytes(std::size_t dimension, CodecUse) const override {
    return dimension * sizeof(Scalar);  // decoded_
  }
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  /// accumulate_near with y = 0.
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  CodecStatus accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near, Scalar scale,
                              std::span<Scalar> into) override;
  /// The brackets for receivers with y = 0.
  std::vector<Bracket> brackets(std::span<const Scalar> vector) const override;

 private:
  /// A bucket on its way.
  struct Part {
    std::size_t begin, size;
    std::span<double> codes;
    std::span<std::int32_t> words;    ///< codes mod k
    std::uint8_t kind;                ///< what travels
    std::uint16_t checksum;           ///< of the codes
    std::span<const std::byte> sent;  ///< the checksum or the coordinates of a message that is read
  };
  /// Calls visit(parts) for several neighboring buckets at a time, in order, with room for their codes.
  template <class Visit>
  void for_each_group(std::size_t dimension, Visit visit);
  static void sum_codes(std::span<Part> parts);
  bool read_part(Part& part, BytePieces<const std::byte>& message, std::span<const Scalar> near);
  ModuloGrid grid() const;
  Scalar value(std::int64_t code) const { return static_cast<Scalar>(static_cast<double>(code) * step_); }

  std::int64_t modulus_;
  unsigned bits_;
  double step_;
  Rounding rounding_;
  double largest_ratio_;  ///< if |z / step| reaches this, full precision is sent
  Buckets buckets_;

  // Scratch, kept from message to message.
  std::vector<double> codes_;
  std::vector<std::int32_t> words_;
  std::vector<Scalar> decoded_;
};

extern template class Modulo<float>;
extern template class Modulo<double>;

}  // namespace hearsay
