#include "runtime/record/timeline.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hearsay::timeline_test {

namespace {

using namespace std::chrono_literals;

Instant at(Duration since_start) { return Instant{} + since_start; }

Activity wait(PeerId other, Duration begin, Duration takes) {
  return {ActivityKind::waits, 3, other, 0, 7, 0, begin, takes};
}

}  // namespace

TEST_CASE("timeline: activities come back by peer, kind and begin") {
  Timeline timeline;
  const Activity late{ActivityKind::computes, 1, Activity::nobody, 0, 2, 0, 5ms, 1ms};
  const Activity early{ActivityKind::computes, 1, Activity::nobody, 0, 1, 0, 2ms, 1ms};
  const Activity sent{ActivityKind::sends, 0, 1, 4, 1, 100, 9ms, 1ms};
  for (const Activity& activity : {late, sent, early}) timeline.add(activity);
  CHECK(timeline.activities() == std::vector<Activity>{sent, early, late});
  CHECK_FALSE(timeline.is_cut());
}

TEST_CASE("timeline: it takes as many activities as it is said to, and knows that there were more") {
  Timeline timeline(2);
  for (int k = 0; k < 2; ++k) timeline.add(wait(1, k * 1ms, 1ms));
  CHECK_FALSE(timeline.is_cut());
  for (int k = 2; k < 5; ++k) timeline.add(wait(1, k * 1ms, 1ms));
  CHECK(timeline.is_cut());
  CHECK(timeline.activities() == std::vector<Activity>{wait(1, 0ms, 1ms), wait(1, 1ms, 1ms)});
}

TEST_CASE("timeline: it is full after as many times of a peer as it takes, however many there are") {
  Timeline timeline(3);
  const Availability comes_and_goes({{0ns, 1ns}}, 2ns);  // 30 years have 10^18 / 2 such times
  PeerTimeline(&timeline, 3).computes(at(0ns), at(Duration(1'000'000'000'000'000'000)), 7, comes_and_goes);
  CHECK(timeline.is_cut());
  const std::vector<Activity> activities = timeline.activities();
  REQUIRE(activities.size() == 3);
  for (int k = 0; k < 3; ++k)
    CHECK(activities[static_cast<std::size_t>(k)] ==
          Activity{ActivityKind::computes, 3, Activity::nobody, 0, 7, 0, k * 2ns, 1ns});
}

TEST_CASE("timeline: what forked processes did is there, also if they were killed") {
  Timeline timeline;
  for (PeerId id = 0; id < 4; ++id) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      PeerTimeline peer(&timeline, id);
      for (int k = 0; k < 100; ++k)
        peer.computes(at(k * 2ms), at(k * 2ms + 1ms), static_cast<std::uint64_t>(k), {});
      kill(getpid(), SIGKILL);
    }
  }
  while (::wait(nullptr) > 0) {
  }
  const std::vector<Activity> activities = timeline.activities();
  REQUIRE(activities.size() == 400);
  for (std::size_t k = 0; k < activities.size(); ++k) {
    CHECK(activities[k].peer == k / 100);
    CHECK(activities[k].begin == static_cast<int>(k % 100) * 2ms);
  }
}

TEST_CASE("timeline: a wait is cut where a message ended a part of it, its parts leave no gap") {
  Timeline timeline;
  PeerTimeline peer(&timeline, 3);
  peer.start(at(100ms));
  peer.waits(at(110ms), 7, true);
  peer.wait_ended_by(1, at(112ms));
  peer.wait_ended_by(2, at(112ms));  // came together with the first: it was not waited for
  peer.wait_ended_by(4, at(115ms));
  peer.wait_ends(at(116ms));
  CHECK(timeline.activities() ==
        std::vector<Activity>{wait(1, 10ms, 2ms), wait(4, 12ms, 3ms), wait(Activity::nobody, 15ms, 1ms)});
}

TEST_CASE("timeline: messages that come while nobody waits, or while a verdict is awaited, end no wait") {
  Timeline timeline;
  PeerTimeline peer(&timeline, 3);
  peer.wait_ended_by(1, at(5ms));
  peer.waits(at(10ms), 7, false);
  peer.wait_ended_by(1, at(12ms));
  peer.wait_ends(at(20ms));
  peer.wait_ended_by(1, at(25ms));
  peer.wait_ends(at(30ms));
  CHECK(timeline.activities() == std::vector<Activity>{wait(Activity::nobody, 10ms, 10ms)});
}

TEST_CASE("timeline: without one, nothing is taken down") {
  PeerTimeline peer(nullptr, 3);
  peer.start(at(0ms));
  peer.computes(at(0ms), at(1ms), 1, {});
  peer.waits(at(1ms), 1, true);
  peer.wait_ended_by(1, at(2ms));
  peer.wait_ends(at(2ms));
}

}  // namespace hearsay::timeline_test
