#include "runtime/peer/sample_passes.hpp"

#include <numeric>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

SamplePasses::SamplePasses(std::uint64_t seed, PeerId peer, std::uint64_t samples)
    : seed_(seed), peer_(peer), order_(static_cast<std::size_t>(samples)) {
  ensure(samples > 0, "a pass goes over samples");
}

void SamplePasses::shuffle(std::uint64_t epoch) {
  std::iota(order_.begin(), order_.end(), Index{0});
  RandomStream random(seed_, peer_, epoch, Purpose::order);
  for (std::size_t left = order_.size(); left > 1; --left)
    std::swap(order_[left - 1], order_[static_cast<std::size_t>(random.below(left))]);
  epoch_ = epoch;
}

void SamplePasses::take(std::uint64_t first, std::uint64_t count, std::vector<Index>& into) {
  const std::uint64_t samples = order_.size();
  for (std::uint64_t number = first; number < first + count; ++number) {
    if (epoch_ != number / samples) shuffle(number / samples);
    into.push_back(order_[static_cast<std::size_t>(number % samples)]);
  }
}

}  // namespace hearsay
