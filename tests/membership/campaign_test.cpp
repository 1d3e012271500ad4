#include <doctest/doctest.h>

#include "tests/membership/elastic_world.hpp"

namespace hearsay::test::campaign_test {

TEST_CASE(
    "elastic world: 1,000 seeds of loss, delay, crashes, cuts, joiners and leavers, one decision a view") {
  std::uint64_t went_on = 0, views = 0, taken_back = 0, joined = 0, left = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    ElasticWorld world(seed, 2 + static_cast<PeerId>(seed % 7), {});
    const std::vector<std::string> wrong = world.run();
    CHECK_MESSAGE(wrong.empty(), wrong.front());
    went_on += world.goes_on();
    views += world.views();
    taken_back += world.sums_taken_back;
    joined += world.joined;
    left += world.left;
  }
  CHECK(went_on > 800);
  CHECK(views > 7'000);
  CHECK(taken_back > 5'000);
  CHECK(joined > 4'000);
  CHECK(left > 400);
}

TEST_CASE("elastic world: 1,000 seeds in which all learn who has ended, and nobody joins") {
  std::uint64_t went_on = 0, views = 0, taken_back = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    ElasticWorld world(seed, 2 + static_cast<PeerId>(seed % 7), {.ends_are_seen = true});
    const std::vector<std::string> wrong = world.run();
    CHECK_MESSAGE(wrong.empty(), wrong.front());
    went_on += world.goes_on();
    views += world.views();
    taken_back += world.sums_taken_back;
  }
  CHECK(went_on > 700);
  CHECK(views > 4'000);
  CHECK(taken_back > 2'500);
}

}  // namespace hearsay::test::campaign_test
