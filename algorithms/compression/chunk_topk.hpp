#pragma once

#include "algorithms/compression/chunk_indices.hpp"
#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/sent_coefficients.hpp"
#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/selectors/chunk_selection.hpp"

namespace hearsay {

/// Of `chunk-topk`: k, c, and what travels of a value.
struct ChunkTopKSettings {
  std::size_t kept;         ///< k, of each chunk
  std::size_t chunk;        ///< c, in coordinates
  unsigned value_bits = 0;  ///< 1 to 8; 0: the scalar itself
  double range = 6.0;       ///< how many standard deviations the cells of the values cover
  ChunkIndices indices = ChunkIndices::packed;
};

/// Top-k in chunks: every segment is cut into chunks of c coordinates (the last may be shorter), of which the
/// min(k, size) of largest magnitude are kept, ties to the lowest index; the others decode to 0. The kept
/// values v of a segment travel as they are, or as one of 2^b centroids:
///
///   shift    mean v, rounded to a Scalar
///   s        range std(v) / 2^b, std with N - 1;  1 where that is 0 or not finite
///   q_j      clip(round((v_j - shift) / s) + 2^(b-1), 0, 2^b - 1), halves to even
///   decoded  shift + centroid(q_j), centroid(q) the mean of v_j - shift over the j with q_j = q
///
/// A centroid is the mean of its cell. So the decoded values have the sum of the kept ones, segment by
/// segment, and ||C(z) - z|| <= ||z||. Values as they are contract by the least k / size of a chunk.
/// Centroids promise no more than that (1 and -1 may both decode to 0).
///
/// Message    per segment shift and the 2^b centroids as Scalars, or the kept values; then one stream of
///            bits: per chunk the indices, ascending, and the codes q. A chunk of which all is kept has no
///            indices. Packed: 14 bits per kept coordinate with 64/4096 and 2 bits. Rice's code: each index
///            as the number g of coordinates passed over, in b = floor(log2(c / k)) low bits behind
///            floor(g / 2^b) ones and a zero: about 9.5 bits in all, less than 10 on the worst data. In front
///            of such a message, whose size depends on the data, stands the dimension (u32).
/// Failure    Inf or NaN, and values whose mean leaves the range: all Scalars of the message are NaN.
/// Source     Sarfi, Therien, Lidin, Belilovsky 2025 (SparseLoCo, arXiv:2508.15706): 64/4096, 2 bits,
///            range 6.
/// Departs    there matrices are cut into square tiles, here the vector into runs.
template <class Scalar>
class ChunkTopK final : public Compressor<Scalar>, public KeepsScratch, private SentCoefficients<Scalar> {
 public:
  static std::unique_ptr<Compressor<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  ChunkTopK(const ChunkTopKSettings& settings, Buckets segments);

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t scratch_bytes(std::size_t dimension, CodecUse) const override {
    return sizes(dimension).kept * (sizeof(std::uint32_t) + sizeof(Scalar) + sizeof(std::uint8_t));
  }
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  SentCoefficients<Scalar>* sent_coefficients() override { return this; }

 private:
  // SentCoefficients: the coefficients are the coordinates
  std::size_t coefficient_count(std::size_t dimension) const override { return dimension; }
  CodecStatus accumulate_sent(std::span<const std::byte> packet, std::size_t dimension, std::span<Scalar> sum,
                              std::span<std::uint32_t> senders) override;
  void restore(std::span<Scalar> coefficients, std::span<Scalar> out) override;

  /// Calls visit(first coordinate, size, number kept) for the chunks of a segment, in order.
  template <class Visit>
  void for_each_chunk(std::size_t begin, std::size_t size, Visit visit) const;
  /// The parts of a message. `bits` is what they are at most, and exact if the indices are packed.
  struct Sizes {
    std::size_t kept = 0;    ///< coordinates
    std::size_t prefix = 0;  ///< bytes in front
    std::size_t scalars = 0;
    std::size_t bits = 0;
    std::size_t bytes() const { return prefix + scalars * sizeof(Scalar) + (bits + 7) / 8; }
  };
  Sizes sizes(std::size_t dimension) const;

  /// Appends to indices_ those of the `kept` largest of a chunk that begins at `begin`.
  void select(std::span<const Scalar> chunk, std::size_t begin, std::size_t kept);
  /// Writes shift and centroids of the values to `scalars`, the code of each to `codes`. False if what would
  /// be decoded is not finite.
  bool quantize(std::span<const Scalar> values, std::span<std::byte> scalars, std::span<std::uint8_t> codes);
  /// Decodes a message into indices_ and values_.
  CodecStatus decode(std::span<const std::byte> packet, std::size_t dimension);

  ChunkTopKSettings settings_;
  ChunkIndexCode index_code_;
  Buckets segments_;

  // Scratch, kept from message to message.
  ChunkSelection<Scalar> selection_;
  std::vector<std::uint32_t> indices_;
  std::vector<Scalar> values_;
  std::vector<std::uint8_t> codes_;
};

extern template class ChunkTopK<float>;
extern template class ChunkTopK<double>;

}  // namespace hearsay
