#pragma once

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// The codes -1, 0 and 1, five to a byte: 1.6 bits each; a fixed width takes 2 (the base-3 packing of
/// TernGrad's levels, Wen et al. 2017, arXiv:1705.07878).
///
///   byte_j = sum_p 3^p (q_(j + p m) + 1),  p = 0..4,  j = 0..m-1,  m = ceil(n / 5)
///
/// Message    m bytes. A digit without a code is 0; a decoder refuses any other value there, and bytes from
///            243 on. As in places.hpp, neighboring codes lie in neighboring bytes.
class Trit5Coder final : public Coder {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "trit5"; }
  std::string objection(const CodeRange& range) const override;
  bool data_dependent_size() const override { return false; }
  std::size_t most_bytes(std::size_t n, const CodeRange&, const Buckets&) const override {
    return (n + 4) / 5;
  }
  void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
             std::span<std::byte> out) override;
  void append(std::span<const std::int32_t> codes) override;
  std::size_t finish() override;
  std::size_t part_grain(const Buckets&) const override { return 0; }
  bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
              std::span<std::int32_t> codes) override;

 private:
  std::span<std::byte> out_;
  std::size_t used_ = 0;
};

}  // namespace hearsay
