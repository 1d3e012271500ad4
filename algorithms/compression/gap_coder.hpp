#pragma once

#include <optional>
#include <vector>

#include "algorithms/compression/coder.hpp"
#include "algorithms/compression/spelling.hpp"

namespace hearsay {

/// Runs of zeros and what stands between them: QSGD's form for sparse codes (Alistarh et al. 2017, arXiv:1610.02132, section
/// 3.1: distance to the next non-zero, its sign, its level).
///
///   for every non-zero    gamma(zeros before it + 1); where the range has negative codes a sign, 1 for q < 0; gamma(|q|)
///   zeros at the end      gamma(zeros + 1), and nothing where the last code is none
///
/// Where the range has no negative codes, q - least takes the place of q.
/// Message    these bits, highest bit of a byte first, zeros up to the last byte's end. The number of codes is known.
/// Departure  (own design) Elias' gamma code (elias.hpp), shorter here than QSGD's omega; the first distance is coded as all
///            others; runs are not cut at buckets.
class GapCoder final : public Coder {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "gap"; }
  std::string objection(const CodeRange&) const override { return ""; }
  bool data_dependent_size() const override { return true; }
  std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const override;
  std::size_t encode(std::span<const std::int32_t> codes, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) override;
  bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
              std::span<std::int32_t> codes) override;

 private:
  /// A run, a sign and a level that the next bits of a message begin with; 0 bits where they are longer than looked at.
  struct Glimpse {
    std::uint8_t run = 0;
    std::int8_t level = 0;
    std::uint8_t bits = 0;
  };
  void prepare_glimpses(unsigned sign_bits);

  std::optional<unsigned> glimpses_sign_bits_;  ///< what the table was made for
  std::vector<Glimpse> glimpses_;
};

}  // namespace hearsay
