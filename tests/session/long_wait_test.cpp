#include "runtime/session/long_wait.hpp"

#include <doctest/doctest.h>

#include "runtime/session/arrival_deadline.hpp"

namespace hearsay::long_wait_test {

using namespace std::chrono_literals;

namespace {

AwaitedPeer silent(PeerId id, Duration silence) {
  return {id, "tcp://10.0.0." + std::to_string(id) + ":7000", silence, ArrivalDeadline(60s).text()};
}

LongWait wait_for(std::vector<AwaitedPeer> awaited, AfterSilence then = AfterSilence::ends_the_run) {
  return {2, 512, 25s, 2s, then, std::move(awaited)};
}

}  // namespace

TEST_CASE(
    "long wait: the sentence names both peers, the edge, the iteration, the silence and what follows when") {
  CHECK(sentence(wait_for({silent(3, 12'600ms)})) ==
        "peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512: silent for 12 s; lost after 60 s "
        "(failure.lost_after)");
}

TEST_CASE("long wait: what follows is what the run does with a silent neighbor") {
  CHECK(sentence(wait_for({silent(3, 12s)}, AfterSilence::drops_it)) ==
        "peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512: silent for 12 s; dropped after 60 s "
        "(failure.lost_after)");
}

TEST_CASE("long wait: a neighbor that shows life is not threatened, but said to be slow") {
  CHECK(sentence(wait_for({silent(3, 1s)})) ==
        "peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512 for 25 s now: it shows life, so it "
        "is slow or waits itself");
}

TEST_CASE("long wait: of several, each is named with its own state") {
  CHECK(sentence(wait_for({silent(3, 1s), silent(5, 75s)})) ==
        "peer 2 waits for 2 peers in iteration 512 for 25 s now: peer 3 (tcp://10.0.0.3:7000): it shows "
        "life, so it is slow or waits itself. peer 5 (tcp://10.0.0.5:7000): silent for 75 s; lost after 60 s "
        "(failure.lost_after)");
}

TEST_CASE("long wait: where no address is known the peer alone is named") {
  AwaitedPeer unknown = silent(3, 12s);
  unknown.address.clear();
  CHECK(sentence(wait_for({unknown})) ==
        "peer 2 waits for peer 3 in iteration 512: silent for 12 s; lost after 60 s (failure.lost_after)");
}

TEST_CASE("long wait: times are spoken in the unit that a reader thinks in") {
  CHECK(spoken(400ms) == "0.4 s");
  CHECK(spoken(10'900ms) == "10 s");
  CHECK(spoken(119s) == "119 s");
  CHECK(spoken(120s) == "2 min");
  CHECK(spoken(185s) == "3 min 05 s");
}

}  // namespace hearsay::long_wait_test
