#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hearsay {

/// SplitMix64 (Steele, Lea, Flood 2014): the random numbers with which graphs and matchings are drawn.
///
/// Integer arithmetic and distributions of our own only: every peer of a run draws the graph for itself, so
/// the same seed must give the same graph with every compiler, standard library and machine.
class GraphRandom {
 public:
  /// `draw` selects one of many independent sequences of the same seed (one per attempt at a graph).
  explicit GraphRandom(std::uint64_t seed, std::uint64_t draw = 0) : state_(seed) {
    state_ = bits() ^ (draw * 0xd1342543de82ef95u);
    state_ = bits();
  }

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// Uniform in {0, ..., bound - 1}; bound >= 1. Rejection under a bit mask: no bias, no division.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t mask = bound == 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(bound - 1);
    std::uint64_t value = bits() & mask;
    while (value >= bound) value = bits() & mask;
    return value;
  }

  /// Fisher-Yates.
  template <class Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace hearsay
