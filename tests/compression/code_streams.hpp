#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/seam/coder.hpp"

namespace hearsay::test {

/// Code ranges of every kind: symmetric, one-sided, of one number, away from 0, and the largest.
std::vector<CodeRange> code_ranges();

/// Sequences of `n` codes of a range: constant, random, small, sparse, the ends in turns.
std::vector<std::vector<std::int32_t>> code_sequences(const CodeRange& range, std::size_t n);

std::unique_ptr<Coder> make_coder(const std::string& spelling);

/// Of one bucket.
Buckets whole_bucket();

/// Encodes into exactly most_bytes, so that a sanitizer sees a write past them.
std::vector<std::byte> coded(Coder& coder, std::span<const std::int32_t> codes, const CodeRange& range);

/// "0110..." of bytes, highest bit first.
std::string bits_of(std::span<const std::byte> bytes);
/// As a coder writes them: filled up with zeros to whole bytes.
std::vector<std::byte> bytes_of(const std::string& bits);
/// Elias' gamma code, written down from its definition.
std::string gamma_bits(std::uint64_t k);

/// What each value of a vector may become as a code of `dither(...)`.
struct CodeBracket {
  std::int32_t low;
  std::int32_t high;
  double probability_up;
};
struct DitheredVector {
  CodeRange range;
  std::vector<CodeBracket> brackets;
  /// The codes of `draws` roundings, independent of one another.
  std::vector<std::vector<std::int32_t>> draws;
};
DitheredVector dithered(const std::string& quantizer, std::span<const double> values, std::size_t draws);

}  // namespace hearsay::test
