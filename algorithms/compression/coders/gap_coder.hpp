#pragma once

#include <optional>
#include <vector>

#include "algorithms/compression/coders/bit_writer.hpp"
#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Runs of zeros and the codes between them: QSGD's form for sparse codes (Alistarh et al. 2017,
/// arXiv:1610.02132, section 3.1: distance to the next non-zero, its sign, its level).
///
///   for every non-zero    gamma(zeros before it + 1); if the range has negative codes a sign, 1 for q < 0;
///                         gamma(|q|)
///   zeros at the end      gamma(zeros + 1), or nothing if there are none
///
/// If the range has no negative codes, q - least takes the place of q.
/// Message    these bits, highest bit of a byte first, zeros up to the end of the last byte. The decoder
///            knows the number of codes.
/// Departs    (own design) Elias' gamma code (elias.hpp) instead of QSGD's omega, since it is shorter here;
///            the first distance is coded as all others; runs are not cut at buckets.
class GapCoder final : public Coder {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "gap"; }
  std::string objection(const CodeRange&) const override { return ""; }
  bool data_dependent_size() const override { return true; }
  std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const override;
  void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
             std::span<std::byte> out) override;
  void append(std::span<const std::int32_t> codes) override;
  std::size_t finish() override;
  std::size_t part_grain(const Buckets&) const override { return 1; }
  bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
              std::span<std::int32_t> codes) override;

 private:
  /// A table entry: the run, sign and level with which the next bits of a message begin; 0 bits if their
  /// words are longer than the table's index.
  struct Glimpse {
    std::uint8_t run = 0;
    std::int8_t level = 0;
    std::uint8_t bits = 0;
  };
  /// The word of a run, a sign and a level.
  struct ShortWord {
    std::uint32_t bits;
    std::uint32_t length;
  };
  void prepare_glimpses(unsigned sign_bits);
  void prepare_words(unsigned sign_bits);

  std::optional<unsigned> glimpses_sign_bits_;  ///< the sign bits (0 or 1) for which the table was made
  std::vector<Glimpse> glimpses_;
  std::optional<unsigned> words_sign_bits_;
  std::vector<ShortWord> words_;  ///< by run and level

  // State of the message that is being written.
  std::int32_t zero_ = 0;
  unsigned sign_bits_ = 0;
  std::size_t zeros_ = 0;  ///< zeros since the last code other than 0
  BitWriter writer_;
};

}  // namespace hearsay
