#pragma once

#include "algorithms/compression/quantizers/dither_bucket.hpp"
#include "algorithms/compression/quantizers/dither_norm.hpp"
#include "algorithms/compression/quantizers/level_set.hpp"
#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// The dithering of dither.hpp as a stage: the same steps and codes, for any coder. The header holds the
/// steps.
template <class Scalar>
class DitherQuantizer final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  DitherQuantizer(DitherNorm norm, LevelSet levels, Buckets buckets);

  std::string spelling() const override;
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {-code_.levels, code_.levels}; }
  const Buckets& buckets() const override { return buckets_; }
  std::size_t header_bytes(std::size_t n) const override { return buckets_.count(n) * sizeof(Scalar); }
  std::size_t part_grain() const override { return buckets_.fixed_size(); }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

  DitherNorm norm() const { return norm_; }
  const DitherCode& code() const { return code_; }

 private:
  DitherNorm norm_;
  LevelSet levels_;
  DitherCode code_;
  Buckets buckets_;
};

extern template class DitherQuantizer<float>;
extern template class DitherQuantizer<double>;

}  // namespace hearsay
