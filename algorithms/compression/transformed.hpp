#pragma once

#include <memory>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/sent_coefficients.hpp"
#include "algorithms/compression/seam/summed_coefficients.hpp"
#include "algorithms/compression/seam/transform.hpp"

namespace hearsay {

/// A compressor of its own behind transforms: C(z) = T^-1(C'(T(z))), such as DeMo's dct | chunk-topk.
/// Compressors that are made of stages take their transforms into the pipeline instead.
///
/// Message    that of C'; then a 64-bit seed if a transform uses one.
/// Failure    as C'; `saturated` if a finite vector leaves the range of Scalar on its way there or back.
template <class Scalar>
class Transformed final : public Compressor<Scalar>,
                          public KeepsScratch,
                          private SentCoefficients<Scalar>,
                          private SummedCoefficients<Scalar> {
 public:
  Transformed(std::vector<std::unique_ptr<Transform<Scalar>>> transforms,
              std::unique_ptr<Compressor<Scalar>> inner);

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t scratch_bytes(std::size_t dimension, CodecUse use) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  /// Null if a transform uses a seed: the coefficients of two peers then are not the same ones.
  SentCoefficients<Scalar>* sent_coefficients() override;
  /// Null if a transform uses a seed, for the same reason.
  SummedCoefficients<Scalar>* summed_coefficients() override { return seeded_ ? nullptr : this; }

 private:
  // SentCoefficients
  std::size_t coefficient_count(std::size_t dimension) const override;
  CodecStatus accumulate_sent(std::span<const std::byte> packet, std::size_t dimension, std::span<Scalar> sum,
                              std::span<std::uint32_t> senders) override;
  void restore(std::span<Scalar> coefficients, std::span<Scalar> out) override;

  // SummedCoefficients
  CodecStatus accumulate_coefficients(std::span<const std::byte> packet, std::span<Scalar> sum) override;
  CodecStatus restore(std::span<Scalar> sum) override;

  std::size_t seed_bytes() const { return seeded_ ? sizeof(std::uint64_t) : 0; }
  /// Gives between_ the sizes that vectors of `dimension` entries need.
  void make_room(std::size_t dimension);
  /// out = T^-1(coefficients), by the inverses from the last to the first.
  void invert(std::span<Scalar> coefficients, std::uint64_t seed, std::span<Scalar> out);
  /// decoded_ = C(z), from the bytes of a packet.
  CodecStatus decode(std::span<const std::byte> packet, std::size_t dimension);

  std::vector<std::unique_ptr<Transform<Scalar>>> transforms_;
  std::unique_ptr<Compressor<Scalar>> inner_;
  bool seeded_;  ///< a transform uses a seed

  // Scratch, kept from message to message.
  std::vector<std::vector<Scalar>> between_;  ///< the coefficients after each transform
  std::vector<Scalar> decoded_;
};

extern template class Transformed<float>;
extern template class Transformed<double>;

}  // namespace hearsay
