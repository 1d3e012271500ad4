#pragma once

#include <array>
#include <span>
#include <vector>

#include "algorithms/compression/quantizers/code_pairs.hpp"
#include "algorithms/compression/coders/entropy_symbols.hpp"
#include "algorithms/compression/coders/state_tables.hpp"

namespace hearsay {

/// How often each symbol occurs among the codes of a message, and the codes themselves until they can be coded: those of a
/// range of at most 32 as pairs, two bytes each.
class CodeTally {
 public:
  /// Room for n codes of the range.
  void reserve(std::size_t n, const CodeRange& range);
  void begin(std::size_t n, const CodeRange& range);
  /// An even number of codes, but for the last of the n.
  void append(std::span<const std::int32_t> codes);

  std::size_t size() const { return size_; }
  const CodeRange& range() const { return range_; }
  SymbolCounts counts() const;

  /// Whether codes are kept as pairs; the last of an odd number is paired with itself.
  bool has_pairs() const { return has_pairs_; }
  std::span<const std::uint16_t> pairs() const { return std::span(pairs_).first((size_ + 1) / 2); }
  std::int32_t code(std::size_t k) const;

 private:
  void append_pairs(std::span<const std::int32_t> codes);

  CodeRange range_{0, 0};
  bool has_pairs_ = false;
  std::size_t size_ = 0;

  // A counter that was just written would be waited for: there are several of each.
  std::array<std::array<std::uint32_t, code_pairs>, 4> pair_counts_;
  SymbolCounts counts_;  ///< of the codes that are in no pair
  std::vector<std::uint16_t> pairs_;
  std::vector<std::int32_t> codes_;
};

}  // namespace hearsay
