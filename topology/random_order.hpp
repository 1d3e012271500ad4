#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "topology/graph_random.hpp"

namespace hearsay {

/// A random order of 0 ... count - 1, one of many of the same seed. It computes one place without the
/// others: a swap-or-not shuffle (Hoang, Morris, Rogaway 2012). In every pass a random reflection pairs up
/// the places, and a coin for each pair says whether the two swap. So a round that is drawn anew needs no
/// memory, whichever round it is.
class RandomOrder {
 public:
  /// count >= 1. `draw` selects the order.
  RandomOrder(std::uint64_t count, std::uint64_t seed, std::uint64_t draw) : count_(count) {
    GraphRandom random(seed, draw);
    for (Pass& pass : passes_) {
      pass.reflection = random.below(count);
      pass.coins = random.bits();
    }
  }

  /// Returns what stands in a place.
  std::uint64_t at(std::uint64_t place) const {
    for (const Pass& pass : passes_) place = swapped(place, pass);
    return place;
  }

  /// Returns the place in which `item` stands: the inverse of `at`.
  std::uint64_t place_of(std::uint64_t item) const {
    for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass) item = swapped(item, *pass);
    return item;
  }

 private:
  struct Pass {
    std::uint64_t reflection;
    std::uint64_t coins;
  };

  std::uint64_t swapped(std::uint64_t place, const Pass& pass) const {
    const std::uint64_t sum = pass.reflection + count_ - place;
    const std::uint64_t partner = sum >= count_ ? sum - count_ : sum;
    return GraphRandom(pass.coins, std::max(place, partner)).bits() & 1 ? partner : place;
  }

  std::uint64_t count_;
  std::array<Pass, 64> passes_;
};

}  // namespace hearsay
