#include "runtime/network/ring_time.hpp"

#include <algorithm>

namespace hearsay {

double ring_seconds(std::span<const RingLink> links, std::uint64_t steps) {
  double busiest = 0.0;
  double round = 0.0;
  for (const RingLink& link : links) {
    busiest = std::max(busiest, seconds(link.busy));
    round += seconds(link.latency) + seconds(link.busy);
  }
  return static_cast<double>(steps) * std::max(busiest, round / static_cast<double>(links.size()));
}

}  // namespace hearsay
