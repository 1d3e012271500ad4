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

/// Sequences of `n` codes of a range: constant, random, small, sparse, and its two ends alternating.
std::vector<std::vector<std::int32_t>> code_sequences(const CodeRange& range, std::size_t n);

std::unique_ptr<Coder> make_coder(const std::string& spelling);

/// Buckets that are the whole vector.
Buckets whole_bucket();

/// Encodes into exactly most_bytes, so that a sanitizer sees a write past them.
std::vector<std::byte> coded(Coder& coder, std::span<const std::int32_t> codes, const CodeRange& range);

/// The bits of the bytes as text, "0110...", the highest bit of a byte first.
std::string bits_of(std::span<const std::byte> bytes);
/// The inverse of bits_of; the last byte is filled up with zeros, as a coder does.
std::vector<std::byte> bytes_of(const std::string& bits);
/// Elias' gamma code of k as text, from its definition.
std::string gamma_bits(std::uint64_t k);

/// The two codes that a value may get from `dither(...)`.
struct CodeBracket {
  std::int32_t low;
  std::int32_t high;
  double probability_up;
};
struct DitheredVector {
  CodeRange range;
  std::vector<CodeBracket> brackets;
  /// The codes of several independent roundings of the vector.
  std::vector<std::vector<std::int32_t>> draws;
};
DitheredVector dithered(const std::string& quantizer, std::span<const double> values, std::size_t draws);

}  // namespace hearsay::test
