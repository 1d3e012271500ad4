#pragma once

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Codes of a fixed width, the fewest bits that hold the range. The default of most quantizers.
///
///   range with negative codes   two's complement
///   otherwise                   code - least
///
/// Message    bucket after bucket, each beginning at a byte, in the places of places.hpp.
class RawCoder final : public Coder {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "raw"; }
  std::string objection(const CodeRange& range) const override;
  bool data_dependent_size() const override { return false; }
  std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const override;
  void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
             std::span<std::byte> out) override;
  void append(std::span<const std::int32_t> codes) override;
  std::size_t finish() override;
  std::size_t part_grain(const Buckets& buckets) const override { return buckets.fixed_size(); }
  bool decodes_in_parts() const override { return true; }
  std::optional<std::size_t> decode_part(std::span<const std::byte> in, const CodeRange& range,
                                         const Buckets& buckets, std::span<std::int32_t> codes) override;
  bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
              std::span<std::int32_t> codes) override;

  /// The width of a code of the range, in bits.
  static unsigned width(const CodeRange& range);

 private:
  CodeRange range_{0, 0};
  const Buckets* buckets_ = nullptr;
  std::span<std::byte> rest_;  ///< the part of `out` that is not yet written
  std::size_t used_ = 0;
};

}  // namespace hearsay
