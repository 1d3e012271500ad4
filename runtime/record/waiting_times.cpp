#include "runtime/record/waiting_times.hpp"

#include <algorithm>

namespace hearsay {

void WaitingTimes::ended_by(PeerId source, Instant now, bool waits_on) {
  if (!since_) return;  // the peer did not wait
  auto place = std::ranges::lower_bound(by_source_, source, {}, &OfSource::first);
  if (place == by_source_.end() || place->first != source)
    place = by_source_.emplace(place, source, Duration{0});
  place->second += now - *since_;
  since_ = waits_on ? std::optional(now) : std::nullopt;
}

}  // namespace hearsay
