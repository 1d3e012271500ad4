#pragma once

#include <array>
#include <span>
#include <vector>

#include "algorithms/compression/coders/entropy_symbols.hpp"
#include "algorithms/compression/coders/state_tables.hpp"
#include "algorithms/compression/quantizers/code_pairs.hpp"

namespace hearsay {

/// Counts how often each symbol occurs among the codes of a message, and keeps the codes until all
/// frequencies are known. If all numbers of the range (Numbering) are below 32, codes are kept in pairs, two
/// bytes a pair.
class CodeTally {
 public:
  /// Makes room for n codes of the range.
  void reserve(std::size_t n, const CodeRange& range);
  void begin(std::size_t n, const CodeRange& range);
  /// Appends codes. All calls but the last take an even number of codes.
  void append(std::span<const std::int32_t> codes);

  std::size_t size() const { return size_; }
  const CodeRange& range() const { return range_; }
  SymbolCounts counts() const;

  /// True if codes are kept in pairs. The last of an odd number of codes is paired with itself.
  bool has_pairs() const { return has_pairs_; }
  std::span<const std::uint16_t> pairs() const { return std::span(pairs_).first((size_ + 1) / 2); }
  std::int32_t code(std::size_t k) const;

 private:
  void append_pairs(std::span<const std::int32_t> codes);

  CodeRange range_{0, 0};
  bool has_pairs_ = false;
  std::size_t size_ = 0;

  // Several counters for each pair, in turns: with one, the processor would wait whenever the same pair comes
  // again.
  std::array<std::array<std::uint32_t, code_pairs>, 4> pair_counts_;
  SymbolCounts counts_;  ///< counts of the codes that pair_counts_ does not cover
  std::vector<std::uint16_t> pairs_;
  std::vector<std::int32_t> codes_;
};

}  // namespace hearsay
