#include "runtime/session/arrival_deadline.hpp"

#include <doctest/doctest.h>

#include "runtime/session/long_wait.hpp"

namespace hearsay::arrival_deadline_test {

using namespace std::chrono_literals;

namespace {

Instant at(Duration since_begin) { return Instant(since_begin); }

}  // namespace

TEST_CASE("arrival deadline: a neighbor that is heard often has failure.lost_after, as has one never heard") {
  ArrivalDeadline deadline(60s);
  CHECK(deadline.limit() == 60s);
  for (int beat = 0; beat < 100; ++beat) deadline.heard(at(15s * beat));
  CHECK(deadline.limit() == 60s);
  CHECK(deadline.text() == "60 s (failure.lost_after)");
}

TEST_CASE("arrival deadline: one that came back after a long silence may be silent four times as long") {
  ArrivalDeadline deadline(60s);
  deadline.heard(at(100s));  // the first sign of life ends no silence, however late it comes
  CHECK(deadline.limit() == 60s);
  deadline.heard(at(125s));
  CHECK(deadline.limit() == 100s);
  CHECK(deadline.text() == "100 s (4 x its longest silence so far, 25 s)");
  deadline.heard(at(126s));  // the longest silence still counts
  CHECK(deadline.limit() == 100s);
}

TEST_CASE("arrival deadline: twice failure.lost_after is enough for everybody") {
  ArrivalDeadline deadline(60s);
  deadline.heard(at(100s));
  deadline.heard(at(140s));
  CHECK(deadline.limit() == 120s);
  CHECK(deadline.text() == "2 min (2 x failure.lost_after)");
}

TEST_CASE("arrival deadline: a time in which nobody listened is no silence") {
  ArrivalDeadline deadline(60s);
  deadline.heard(at(100s));
  deadline.heard_anew(at(150s));
  CHECK(deadline.limit() == 60s);
  deadline.heard(at(170s));
  CHECK(deadline.limit() == 80s);
}

TEST_CASE("arrival deadline: time that stands still or runs backwards makes no silence") {
  ArrivalDeadline deadline(10ms);
  deadline.heard(at(5s));
  deadline.heard(at(5s));
  deadline.heard(at(1s));
  deadline.heard(at(5s));
  CHECK(deadline.limit() == 10ms);
}

TEST_CASE("arrival deadline: a silence of centuries overflows nothing") {
  ArrivalDeadline deadline(60s);
  deadline.heard(Instant(Duration(0)));
  deadline.heard(Instant(Duration::max()));
  CHECK(deadline.limit() == 60s);
}

}  // namespace hearsay::arrival_deadline_test
