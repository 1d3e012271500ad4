#pragma once

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Seven bits to a byte, and as many bytes as a code needs: for whole numbers without a useful bound.
///
///   word = 2 q for q >= 0, -2 q - 1 otherwise (zigzag), whatever the range
///
/// Message    the words of all codes in LEB128: lowest seven bits first, the eighth bit set in all bytes but
///            the last of a word. A decoder accepts only the shortest form.
class VarintCoder final : public Coder {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "varint"; }
  std::string objection(const CodeRange&) const override { return ""; }
  bool data_dependent_size() const override { return true; }
  std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const override;
  void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
             std::span<std::byte> out) override;
  void append(std::span<const std::int32_t> codes) override;
  std::size_t finish() override;
  std::size_t part_grain(const Buckets&) const override { return 1; }
  bool decodes_in_parts() const override { return true; }
  std::optional<std::size_t> decode_part(std::span<const std::byte> in, const CodeRange& range,
                                         const Buckets& buckets, std::span<std::int32_t> codes) override;
  bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
              std::span<std::int32_t> codes) override;

 private:
  std::span<std::byte> out_;
  std::byte* at_ = nullptr;
};

}  // namespace hearsay
