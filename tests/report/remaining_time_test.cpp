#include "tools/report/remaining_time.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace hearsay::remaining_time_test {

namespace {

Course course_of(const std::vector<std::pair<int, double>>& losses) {
  Course course;
  for (const auto& [iteration, loss] : losses) course.push_back({{"iteration", iteration}, {"loss", loss}});
  return course;
}

}  // namespace

TEST_CASE("remaining time: the iterations that are left take as long each as those that this process did") {
  const auto time = remaining_time(course_of({{0, 8.0}, {50, 4.0}, {60, 3.0}}), 50, 100, std::nullopt, 5.0);
  REQUIRE(time);
  CHECK(time->to_last_iteration == 20.0);
  CHECK_FALSE(time->to_target);
}

TEST_CASE("remaining time: nothing is said before an iteration was done") {
  CHECK_FALSE(remaining_time({}, 0, 100, std::nullopt, 5.0));
  CHECK_FALSE(remaining_time(course_of({{0, 8.0}}), 0, 100, 1.0, 5.0));
  CHECK_FALSE(remaining_time(course_of({{0, 8.0}, {50, 2.0}}), 50, 100, 1.0, 5.0));
}

TEST_CASE("remaining time: the target is where the fall of the last half of the run leads to") {
  // A factor of 100 at first, then of 2 in 20 iterations: 20 more for the next factor of 2.
  const Course course = course_of({{0, 400.0}, {20, 4.0}, {40, 2.0}});
  const auto time = remaining_time(course, 0, 1000, 1.0, 10.0);
  REQUIRE(time);
  REQUIRE(time->to_target);
  CHECK(*time->to_target == doctest::Approx(5.0).epsilon(1e-12));
  CHECK(time->to_last_iteration == 240.0);
}

TEST_CASE("remaining time: a target is not promised that comes after the last iteration, or never") {
  const Course falls = course_of({{0, 4.0}, {20, 4.0}, {40, 2.0}});
  CHECK_FALSE(remaining_time(falls, 0, 50, 1.0, 10.0)->to_target);
  CHECK_FALSE(remaining_time(falls, 0, 1000, 0.0, 10.0)->to_target);
  const Course rises = course_of({{0, 4.0}, {20, 2.0}, {40, 3.0}});
  CHECK_FALSE(remaining_time(rises, 0, 1000, 1.0, 10.0)->to_target);
  const Course unknown = course_of({{0, 4.0}, {20, 2.0}, {40, std::nan("")}});
  CHECK_FALSE(remaining_time(unknown, 0, 1000, 1.0, 10.0)->to_target);
}

}  // namespace hearsay::remaining_time_test
