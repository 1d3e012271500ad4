#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "runtime/record/outcome.hpp"
#include "runtime/record/timeline.hpp"

namespace hearsay::test {

/// The law of timelines: what a peer does side by side is one thing after the other in itself, and its sums
/// are those of the record, to the nanosecond.
inline void check_timeline(const Timeline& timeline, const std::vector<PeerOutcome>& peers) {
  REQUIRE_FALSE(timeline.is_cut());
  std::vector<PeerMeters> sums(peers.size());
  const std::vector<Activity> activities = timeline.activities();
  const Activity* previous = nullptr;
  for (const Activity& activity : activities) {
    REQUIRE(activity.peer < peers.size());
    PeerMeters& sum = sums[activity.peer];
    switch (activity.kind) {
      case ActivityKind::computes:
        sum.compute += activity.takes;
        break;
      case ActivityKind::waits:
        sum.wait += activity.takes;
        break;
      case ActivityKind::sends:
        sum.wire += activity.takes;
        sum.bytes_sent += activity.bytes;
        break;
      case ActivityKind::receives:
        sum.bytes_received += activity.bytes;
        break;
    }
    if (previous && previous->peer == activity.peer && previous->kind == activity.kind)
      CHECK(previous->begin + previous->takes <= activity.begin);
    previous = &activity;
  }
  for (std::size_t id = 0; id < peers.size(); ++id) {
    CAPTURE(id);
    CHECK(sums[id].compute == peers[id].meters.compute);
    CHECK(sums[id].wait == peers[id].meters.wait);
    CHECK(sums[id].wire == peers[id].meters.wire);
    CHECK(sums[id].bytes_sent == peers[id].meters.bytes_sent);
    CHECK(sums[id].bytes_received == peers[id].meters.bytes_received);
  }
}

}  // namespace hearsay::test
