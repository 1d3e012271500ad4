#include "runtime/peer/sample_passes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

namespace hearsay::sample_passes_test {

namespace {

std::vector<Index> taken(SamplePasses& passes, std::uint64_t first, std::uint64_t count) {
  std::vector<Index> samples;
  passes.take(first, count, samples);
  return samples;
}

}  // namespace

TEST_CASE("sample passes: an epoch takes every sample once, and each in an order of its own") {
  for (const std::uint64_t m : {1u, 2u, 7u, 100u}) {
    CAPTURE(m);
    SamplePasses passes(1, 0, m);
    std::set<std::vector<Index>> orders;
    for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
      std::vector<Index> order = taken(passes, epoch * m, m);
      orders.insert(order);
      std::ranges::sort(order);
      for (std::size_t k = 0; k < order.size(); ++k) CHECK(order[k] == static_cast<Index>(k));
    }
    if (m >= 7) CHECK(orders.size() == 6);
  }
}

TEST_CASE("sample passes: what a number means depends on no earlier call") {
  SamplePasses one(3, 2, 10);
  const std::vector<Index> whole = taken(one, 0, 100);
  SamplePasses other(3, 2, 10);
  for (const std::uint64_t first : {63u, 7u, 8u, 95u, 0u, 29u}) {
    CAPTURE(first);
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
    CHECK(taken(other, first, 5) == std::vector<Index>(begin, begin + 5));
  }
}

TEST_CASE("sample passes: every order of three samples comes up about as often as the others") {
  std::map<std::vector<Index>, int> counts;
  SamplePasses passes(5, 0, 3);
  const int epochs = 6000;
  for (int epoch = 0; epoch < epochs; ++epoch)
    ++counts[taken(passes, 3 * static_cast<std::uint64_t>(epoch), 3)];
  CHECK(counts.size() == 6);
  // Chi-squared with 5 degrees of freedom stays below 20.5 with probability 0.999; the seed is fixed.
  double chi_squared = 0.0;
  for (const auto& [order, count] : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  CHECK(chi_squared < 20.5);
}

TEST_CASE("sample passes: peers and seeds have orders of their own") {
  SamplePasses one(1, 0, 50), other_peer(1, 1, 50), other_seed(2, 0, 50);
  const std::vector<Index> order = taken(one, 0, 50);
  CHECK(order != taken(other_peer, 0, 50));
  CHECK(order != taken(other_seed, 0, 50));
}

}  // namespace hearsay::sample_passes_test
