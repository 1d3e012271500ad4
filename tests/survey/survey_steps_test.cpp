#include "runtime/survey/survey_steps.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

namespace hearsay::survey_steps_test {

namespace {

std::vector<std::string> apart(std::size_t count) {
  std::vector<std::string> hosts;
  for (std::size_t k = 0; k < count; ++k) hosts.push_back("h" + std::to_string(k));
  return hosts;
}

/// True if all ordered pairs are in one step each, and no step uses a host twice.
bool are_complete(const std::vector<SurveyStep>& steps, const std::vector<std::string>& hosts) {
  std::set<std::pair<PeerId, PeerId>> pairs;
  for (const SurveyStep& step : steps) {
    std::set<std::string> busy;
    for (const SurveyedLink& link : step) {
      if (!pairs.emplace(link.from, link.to).second || link.from == link.to) return false;
      const bool is_free = busy.insert(hosts[link.from]).second;
      if (hosts[link.to] != hosts[link.from] && !busy.insert(hosts[link.to]).second) return false;
      if (!is_free) return false;
    }
  }
  return pairs.size() == hosts.size() * (hosts.size() - 1);
}

}  // namespace

TEST_CASE("survey: any two peers meet, each way once, and no host is in two links of a step") {
  for (const std::size_t peers : {2u, 3u, 4u, 5u, 8u, 9u, 16u, 33u}) {
    CAPTURE(peers);
    const std::vector<SurveyStep> steps = survey_steps(apart(peers));
    CHECK(are_complete(steps, apart(peers)));
    CHECK(steps.size() == 2 * (peers % 2 == 0 ? peers - 1 : peers));
  }
  CHECK(survey_steps(apart(1)).empty());
  CHECK(survey_steps({}).empty());
}

TEST_CASE("survey: peers of one host take turns, since they share its port") {
  for (const std::vector<std::string>& hosts : {std::vector<std::string>{"a", "a", "a"},
                                                {"a", "b", "a", "b"},
                                                {"a", "a", "b", "c", "c"},
                                                {"a", "b", "b", "b", "c", "d", "d", "e"}})
    CHECK(are_complete(survey_steps(hosts), hosts));
  CHECK(survey_steps({"a", "a", "a"}).size() == 6);
  // Within the hosts one pair each, side by side; then four pairs between them, one after the other.
  CHECK(survey_steps({"a", "b", "a", "b"}).size() == 2 * (1 + 4));
}

TEST_CASE("survey: four hosts, by hand") {
  const std::vector<SurveyStep> steps = survey_steps(apart(4));
  CHECK(steps[0] == SurveyStep{{0, 3}, {1, 2}});
  CHECK(steps[1] == SurveyStep{{3, 0}, {2, 1}});
  CHECK(steps[2] == SurveyStep{{1, 3}, {2, 0}});
  CHECK(steps[4] == SurveyStep{{2, 3}, {0, 1}});
}

}  // namespace hearsay::survey_steps_test
