#pragma once

#include <optional>
#include <vector>

#include "algorithms/compression/pipeline_stages.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/shared_selection.hpp"
#include "algorithms/compression/seam/summed_coefficients.hpp"

namespace hearsay {

/// Runs stage after stage, each over the whole vector. It covers what the fused compressors (dither, natural,
/// sign) do in one sweep, and everything that they do not.
///
///   coefficients  y = T(z)                       transforms
///   values        v = factor y[selection]        selector
///   codes         q = Q(v)                       quantizer
///   decoded       C(z) = T^-1(Q^-1(q) placed on the selection, 0 elsewhere)
///
/// Message    a 64-bit seed if a transform uses one; the number of dropped coordinates (u32) if it varies
///            (the number of kept ones would fit vectors of any dimension); the selector's seed, or the
///            indices unless they are shared; the quantizer's header; the codes, or the values as Scalars.
/// Failure    Inf, NaN and values out of range flow through the stages: the message decodes as `not_finite`.
///            The status is `saturated` if that happens to a finite vector: its coordinates are so large that
///            transforms or their inverses leave the range of Scalar.
template <class Scalar>
class Pipeline final : public RoundingCompressor<Scalar>,
                       public KeepsScratch,
                       private SharedSelection<Scalar>,
                       private SummedCoefficients<Scalar> {
 public:
  explicit Pipeline(PipelineStages<Scalar> stages);

  std::string spelling() const override { return stages_.spelling(); }
  Traits traits(std::size_t dimension) const override { return stages_.traits(dimension); }
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  std::size_t scratch_bytes(std::size_t dimension, CodecUse use) const override;
  SharedSelection<Scalar>* shared_selection() override;
  /// Null without transforms, and if one uses a seed: the coefficients of two messages then are not the same
  /// ones.
  SummedCoefficients<Scalar>* summed_coefficients() override;
  /// Empty unless the pipeline quantizes all coordinates as they are, without transform and selector.
  std::vector<Bracket> brackets(std::span<const Scalar> vector) const override;
  /// Of a grid.
  bool rounds_each_alone() const override;

 private:
  // SharedSelection
  std::size_t choice_bytes(std::size_t dimension) const override;
  CodecStatus choose(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus read_choice(std::span<const std::byte> packet, std::size_t dimension,
                          std::vector<std::uint32_t>& indices) override;
  CodecStatus accumulate_shared(std::span<const std::byte> packet, std::span<const std::uint32_t> indices,
                                Scalar scale, std::span<Scalar> into) override;

  // SummedCoefficients
  CodecStatus accumulate_coefficients(std::span<const std::byte> packet, std::span<Scalar> sum) override;
  CodecStatus restore(std::span<Scalar> sum) override;

  /// Makes room for the `most` values that a message may have, so that no later message allocates.
  void reserve(std::size_t most);
  /// Makes room for the coefficients before, between and after the transforms.
  void reserve_sweeps(std::size_t dimension);
  /// Returns the coefficients of `vector`. `latest` becomes the part of them that is due to it; empty if that
  /// part is not known.
  std::span<const Scalar> transform(std::span<const Scalar> vector, std::uint64_t seed,
                                    std::span<const Scalar>& latest);
  /// Writes the message. Returns `ok` if the stages could express all values.
  CodecStatus write_message(const EncodeInput<Scalar>& input, PacketBuffer& out);
  /// Selects from the coefficients y: the values into `values_`, and into the message which they are.
  void select(const EncodeInput<Scalar>& input, std::span<const Scalar> y, std::span<const Scalar> latest,
              BytePieces<std::byte>& message);
  /// Write the values, as codes or in full precision. `finite`: so is all of the vector, as far as is known.
  CodecStatus write_codes(std::span<const Scalar> vector, std::span<const Scalar> values, ElementKey key,
                          bool finite, BytePieces<std::byte>& message);
  CodecStatus write_values(std::span<const Scalar> values, bool finite, BytePieces<std::byte>& message);
  /// True if the coefficients just encoded (in `ping_`) are small enough that the inverses cannot leave the
  /// range of Scalar.
  bool surely_returns();
  /// Decodes a message: its values into `values_`, their indices into `selection_`, the seed of the
  /// transforms into `seed_`.
  CodecStatus decode(std::span<const std::byte> packet, std::size_t dimension,
                     std::span<const std::uint32_t> shared_indices);
  /// ping_ = T^-1(values_ on selection_). True if the result is finite. Only with transforms.
  bool restore(std::size_t dimension);
  /// ping_ = T^-1(ping_).
  void invert(std::size_t dimension);
  /// into += scale values_, each at its place in selection_.
  void add_values(Scalar scale, std::span<Scalar> into) const;
  /// into += scale T^-1(values_ on selection_). Leaves `into` as it is, and returns `not_finite`, if that is
  /// not finite.
  CodecStatus apply(Scalar scale, std::span<Scalar> into);

  PipelineStages<Scalar> stages_;
  bool seeded_;  ///< a transform uses a seed
  bool mixed_;   ///< a transform mixes coordinates
  /// The quantizer's step if it does not shrink with the values (grid), else 0. Known once a vector has come.
  std::optional<double> coarsest_;

  // Scratch, kept from message to message.
  std::uint64_t seed_ = 0;
  std::vector<Scalar> ping_, pong_;
  std::vector<Scalar> latest_ping_, latest_pong_;
  Selection selection_;
  std::vector<Scalar> values_;
  std::vector<std::int32_t> codes_;
};

extern template class Pipeline<float>;
extern template class Pipeline<double>;

}  // namespace hearsay
