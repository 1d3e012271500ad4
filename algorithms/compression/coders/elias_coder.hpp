#pragma once

#include <array>
#include <vector>

#include "algorithms/compression/coders/bit_writer.hpp"
#include "algorithms/compression/coders/elias.hpp"
#include "algorithms/compression/quantizers/code_pairs.hpp"
#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Codes every code by itself, small magnitudes in few bits: QSGD's code for its levels (Alistarh et al.
/// 2017, arXiv:1610.02132, section 3.1 and Appendix A.2: Elias' recursive code, which is omega).
///
///   range with negative codes   word(|q| + 1), then the sign unless q = 0: 1 for q < 0
///   otherwise                   word(q - least + 1)
///
/// Message    the words of all codes, highest bit of a byte first, zeros up to the end of the last byte.
/// Length     the length of each code is known (`code_bits`), so the expected length of a message is a sum
///            over rounding brackets.
/// Departs    QSGD sends only levels other than 0, each with a sign, and the distances between them: see
///            `gap`. Its corollary of 2.8 n + 32 bits leaves out the o(1) of Elias' codes, which is not
///            small; so no such bound is stated here.
class EliasCoder final : public Coder {
 public:
  static std::unique_ptr<Coder> parse(const StageSpelling& stage);

  explicit EliasCoder(Elias code) : code_(code) {}

  std::string spelling() const override;
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

  /// The length of the word of a code, in bits.
  unsigned code_bits(std::int32_t code, const CodeRange& range) const { return word(code, range).length; }

 private:
  /// A table entry: the codes whose words lie completely in the next bits of a message.
  struct Glimpse {
    std::array<std::int8_t, 6> codes;
    std::uint8_t count;
    std::uint8_t bits;
  };

  /// The words of two codes in a row.
  struct PairWord {
    std::uint32_t bits;
    std::uint32_t length;
  };

  CodeWord word(std::int32_t code, const CodeRange& range) const;
  std::optional<std::int32_t> read(BitReader& reader, const CodeRange& range) const;
  void prepare_words(const CodeRange& range);
  void prepare_glimpses(const CodeRange& range);

  Elias code_;
  std::optional<CodeRange> words_range_, glimpses_range_;  ///< the ranges for which the tables were made
  std::int64_t first_word_ = 0;
  std::vector<CodeWord> words_;
  unsigned longest_ = 0;              ///< the length of the longest word in words_
  std::vector<PairWord> pair_words_;  ///< by CodePairs::index; empty for large ranges and long words

  // State of the message that is being written.
  CodeRange range_{0, 0};
  BitWriter writer_;
  std::vector<Glimpse> glimpses_;
};

}  // namespace hearsay
