#include "tools/report/live_course.hpp"

#include <doctest/doctest.h>

namespace hearsay::live_course_test {

using Json = nlohmann::ordered_json;

namespace {

Json evaluation_at(std::uint64_t iteration) { return {{"iteration", iteration}, {"loss", 0.5}}; }

}  // namespace

TEST_CASE("live: of a run that goes on, however long, those evaluations are kept that its report will show") {
  LiveCourse live;
  Course whole;
  for (std::uint64_t k = 0; k <= 10'000; ++k) {
    live.append(evaluation_at(7 * k));
    whole.push_back(evaluation_at(7 * k));
    if (k % 97 == 0 || (k > 590 && k < 610)) CHECK(live.evaluations() == thinned(whole));
  }
  live.append(evaluation_at(70'003));  // the last of a run ends no interval
  whole.push_back(evaluation_at(70'003));
  CHECK(live.evaluations() == thinned(whole));
  CHECK(live.last_iteration() == 70'003);
}

TEST_CASE(
    "live: an evaluation that a resumed run repeats takes the place of the earlier ones from there on") {
  LiveCourse live;
  for (const std::uint64_t iteration : {0, 5, 10, 13}) live.append(evaluation_at(iteration));
  live.append({{"iteration", 10}, {"loss", 0.25}});
  CHECK(live.evaluations() ==
        Course{evaluation_at(0), evaluation_at(5), {{"iteration", 10}, {"loss", 0.25}}});
}

TEST_CASE("live: what was copied for a page stays as it was while the run goes on") {
  LiveCourse live;
  for (std::uint64_t k = 0; k < 600; ++k) live.append(evaluation_at(k));
  const LiveCourse copy = live;
  const Course before = copy.evaluations();
  for (std::uint64_t k = 600; k < 2000; ++k) live.append(evaluation_at(k));
  CHECK(copy.evaluations() == before);
  CHECK(before.size() == 600);
}

}  // namespace hearsay::live_course_test
