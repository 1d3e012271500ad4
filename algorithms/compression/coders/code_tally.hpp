#pragma once

#include <array>
#include <span>
#include <vector>

#include "algorithms/compression/coders/entropy_symbols.hpp"
#include "algorithms/compression/coders/state_tables.hpp"
#include "algorithms/compression/quantizers/code_pairs.hpp"

namespace hearsay {

/// Counts how often each symbol occurs among the codes of a message, and keeps the codes until they can be
/// coded. Codes of a range of at most 32 are kept as pairs of two bytes each.
class CodeTally {
 public:
  /// Room for n codes of the range.
  void reserve(std::size_t n, const CodeRange& range);
  void begin(std::size_t n, const CodeRange& range);
  /// Appends codes: an even number of them, unless they are the last of the n.
  void append(std::span<const std::int32_t> codes);

  std::size_t size() const { return size_; }
  const CodeRange& range() const { return range_; }
  SymbolCounts counts() const;

  /// True if codes are kept as pairs; the last of an odd number is paired with itself.
  bool has_pairs() const { return has_pairs_; }
  std::span<const std::uint16_t> pairs() const { return std::span(pairs_).first((size_ + 1) / 2); }
  std::int32_t code(std::size_t k) const;

 private:
  void append_pairs(std::span<const std::int32_t> codes);

  CodeRange range_{0, 0};
  bool has_pairs_ = false;
  std::size_t size_ = 0;

  // There are several counters of each pair: the processor would wait for one that was just written.
  std::array<std::array<std::uint32_t, code_pairs>, 4> pair_counts_;
  SymbolCounts counts_;  ///< counts of the codes that are in no pair
  std::vector<std::uint16_t> pairs_;
  std::vector<std::int32_t> codes_;
};

}  // namespace hearsay
