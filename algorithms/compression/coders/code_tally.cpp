#include "algorithms/compression/coders/code_tally.hpp"

#include <algorithm>

#include "algorithms/compression/coders/entropy_kernel.hpp"

namespace hearsay {

void CodeTally::reserve(std::size_t n, const CodeRange& range) {
  const bool in_pairs = Numbering(range).most(range) < own_symbols;
  if (in_pairs && pairs_.size() < (n + 1) / 2) pairs_.resize((n + 1) / 2);
  if (!in_pairs && codes_.size() < n) codes_.resize(n);
}

void CodeTally::begin(std::size_t n, const CodeRange& range) {
  range_ = range;
  size_ = 0;
  counts_ = {};
  has_pairs_ = Numbering(range).most(range) < own_symbols;
  if (has_pairs_) pair_counts_ = {};
  reserve(n, range);
}

void CodeTally::append(std::span<const std::int32_t> codes) {
  const Numbering numbering(range_);
  if (has_pairs_) {
    append_pairs(codes);
  } else {
    for (const std::int32_t code : codes) ++counts_[symbol_of(numbering.number(code))];
    std::ranges::copy(codes, codes_.begin() + static_cast<std::ptrdiff_t>(size_));
  }
  size_ += codes.size();
}

void CodeTally::append_pairs(std::span<const std::int32_t> codes) {
  std::uint16_t* const out = pairs_.data() + size_ / 2;
  const std::size_t whole = codes.size() / 2;
  pair_indices(codes, range_, out);
  std::size_t k = 0;
  for (; k + pair_counts_.size() <= whole; k += pair_counts_.size())
    for (std::size_t turn = 0; turn < pair_counts_.size(); ++turn) ++pair_counts_[turn][out[k + turn]];
  for (; k < whole; ++k) ++pair_counts_[0][out[k]];
  if (codes.size() % 2 == 0) return;
  const std::array<std::int32_t, 2> twice{codes.back(), codes.back()};
  out[whole] = static_cast<std::uint16_t>(CodePairs(range_).index(twice.data()));
  ++counts_[Numbering(range_).number(codes.back())];
}

SymbolCounts CodeTally::counts() const {
  SymbolCounts counts = counts_;
  if (!has_pairs_) return counts;
  const Numbering numbering(range_);
  const CodePairs pairs(range_);
  for (std::size_t k = 0; k < code_pairs; ++k) {
    std::uint64_t pair_count = 0;
    for (const auto& counters : pair_counts_) pair_count += counters[k];
    if (pair_count == 0) continue;
    counts[numbering.number(pairs.first(k))] += pair_count;
    counts[numbering.number(pairs.second(k))] += pair_count;
  }
  return counts;
}

std::int32_t CodeTally::code(std::size_t k) const {
  if (!has_pairs_) return codes_[k];
  const CodePairs pairs(range_);
  return k % 2 == 0 ? pairs.first(pairs_[k / 2]) : pairs.second(pairs_[k / 2]);
}

}  // namespace hearsay
