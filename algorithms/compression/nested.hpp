#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// A compressor made of others, in rounds: each round compresses what the earlier ones have left of the
/// vector.
///
///   decoded    C(z) = factor (C_1(z) + C_2(z - C_1(z)) + C_3(z - C_1(z) - C_2(...)) + ...)
///
///   repeat(R){C}    C in R rounds: contraction 1 - (1 - delta)^R; if C is unbiased, so is this, with
///                   omega^R. With topk(k) it equals topk(R k). NEOLITHIC (Huang et al. 2022,
///                   arXiv:2206.03665).
///   scale{C}        1/(1 + omega) C for an unbiased C: contraction 1/(1 + omega), as error feedback needs.
///   induced{C}{Q}   C contractive, then Q unbiased: unbiased with omega (1 - delta) (Horvath, Richtarik
///                   2021, arXiv:2006.11077).
///
/// Message    the messages of all rounds, each but the last preceded by its length in bytes (u32).
/// Failure    if the compressor of a round fails, the message decodes as `not_finite`.
template <class Scalar>
class Nested final : public Compressor<Scalar>, public KeepsScratch {
 public:
  static std::unique_ptr<Compressor<Scalar>> parse_repeat(const StageSpelling& stage,
                                                          const SegmentTable& segments);
  static std::unique_ptr<Compressor<Scalar>> parse_scale(const StageSpelling& stage,
                                                         const SegmentTable& segments);
  static std::unique_ptr<Compressor<Scalar>> parse_induced(const StageSpelling& stage,
                                                           const SegmentTable& segments);

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t scratch_bytes(std::size_t dimension, CodecUse use) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;

 private:
  enum class Kind { repeat, scale, induced };
  Nested(Kind kind, std::size_t rounds, std::vector<std::unique_ptr<Compressor<Scalar>>> parts)
      : kind_(kind), rounds_(rounds), parts_(std::move(parts)) {}

  /// The number of messages of innermost compressors that make up one message.
  std::size_t messages() const;
  Compressor<Scalar>& part(std::size_t round) const { return *parts_[round % parts_.size()]; }
  /// Computes what depends on the dimension alone, once per dimension: traits cost more than messages.
  void prepare_for(std::size_t dimension);

  Kind kind_;
  std::size_t rounds_;
  std::vector<std::unique_ptr<Compressor<Scalar>>> parts_;

  std::optional<std::size_t> dimension_;
  std::size_t most_bytes_ = 0;  ///< the most bytes of a message
  Scalar factor_ = 1;           ///< multiplies the sum of all rounds
  PacketPool pool_;
  std::vector<Scalar> residual_;  ///< scratch
  std::vector<Scalar> decoded_;   ///< scratch
};

extern template class Nested<float>;
extern template class Nested<double>;

}  // namespace hearsay
