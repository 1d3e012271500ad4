#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// Coordinates `begin` to `begin + size - 1` of a vector.
struct Block {
  Index begin;
  Index size;
};

inline constexpr Index longest_block = 4096;

/// Calls `visit(block)` for the blocks of d coordinates, in ascending order. A block of a few vectors fits
/// the cache of a core. So if several sums are added to a long vector block by block, it comes from the
/// memory once, and its coordinates have the same bits as by sums of whole vectors.
template <class Visit>
void by_blocks(Index d, const Visit& visit) {
  for (Index begin = 0; begin < d; begin += longest_block)
    visit(Block{begin, std::min(longest_block, d - begin)});
}

/// The coordinates of a block.
template <class Scalar>
auto part(Vector<Scalar>& vector, Block block) {
  return vector.segment(block.begin, block.size);
}
template <class Scalar>
auto part(const Vector<Scalar>& vector, Block block) {
  return vector.segment(block.begin, block.size);
}

template <class Scalar>
std::span<Scalar> part(std::span<Scalar> values, Block block) {
  return values.subspan(static_cast<std::size_t>(block.begin), static_cast<std::size_t>(block.size));
}

}  // namespace hearsay
