#include "runtime/record/sent_bytes.hpp"

#include <algorithm>

namespace hearsay {

void SentBytes::add(PeerId hearer, std::uint64_t bytes) {
  auto place = std::ranges::lower_bound(by_hearer_, hearer, {}, &ToHearer::first);
  if (place == by_hearer_.end() || place->first != hearer)
    place = by_hearer_.emplace(place, hearer, std::uint64_t{0});
  place->second += bytes;
}

}  // namespace hearsay
