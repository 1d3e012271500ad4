#include "runtime/membership/next_view.hpp"

#include <doctest/doctest.h>

namespace hearsay::test::next_view_test {

using namespace membership;

namespace {

const View four{7, {{0, 10}, {1, 11}, {2, 12}, {3, 13}}};

std::vector<PeerId> ids_of(const std::optional<Decision>& decision) {
  std::vector<PeerId> ids;
  if (decision)
    for (const Member& member : decision->next.members) ids.push_back(member.id);
  return ids;
}

Standing at(std::uint64_t completed, std::vector<PeerId> suspects = {}) {
  return {.completed = completed, .suspects = std::move(suspects)};
}

}  // namespace

TEST_CASE("next view: who has not answered is out, and its number is the next") {
  const auto decision = next_view(four, {{0, at(5)}, {1, at(5)}, {3, at(5)}}, 1);
  REQUIRE(decision);
  CHECK(decision->next == View{8, {{0, 10}, {1, 11}, {3, 13}}, 0});
  CHECK(decision->cut == Cut{5, 0});
}

TEST_CASE("next view: the lost count in what all who stay have completed, and in no more") {
  CHECK(next_view(four, {{0, at(6)}, {1, at(5)}, {3, at(6)}}, 1)->cut == Cut{5, 0});
  CHECK(next_view(four, {{0, at(5)}, {1, at(5)}, {3, at(5)}}, 1)->cut == Cut{5, 0});
  // Who leaves does not count: the others may be further.
  auto leaver = at(4);
  leaver.presence = Presence::leaves;
  CHECK(next_view(four, {{0, at(5)}, {1, leaver}, {2, at(5)}}, 1)->cut == Cut{5, 0});
}

TEST_CASE("next view: who leaves is out, who is new stays, and somebody must have the state of the run") {
  auto leaver = at(5), newcomer = at(0);
  leaver.presence = Presence::leaves;
  newcomer.presence = Presence::catches_up;
  const auto decision = next_view(four, {{0, newcomer}, {1, leaver}, {2, at(5)}}, 1);
  CHECK(ids_of(decision) == std::vector<PeerId>{0, 2});
  CHECK(decision->cut == Cut{5, 2});
  auto anew = at(0);
  anew.presence = Presence::has_lost;
  CHECK(ids_of(next_view(four, {{0, leaver}, {1, anew}, {2, newcomer}}, 1)) == std::vector<PeerId>{0, 2});
  CHECK_FALSE(next_view(four, {{1, anew}, {2, newcomer}}, 1));
}

TEST_CASE(
    "next view: of two that hear nothing from each other one is out, and who is deaf to all is the one") {
  CHECK(ids_of(next_view(four, {{0, at(5)}, {1, at(5, {2})}, {2, at(5)}, {3, at(5)}}, 1)) ==
        std::vector<PeerId>{0, 1, 3});
  CHECK(ids_of(next_view(four, {{0, at(5, {1, 2, 3})}, {1, at(5)}, {2, at(5)}, {3, at(5)}}, 1)) ==
        std::vector<PeerId>{1, 2, 3});
  CHECK(ids_of(next_view(four, {{0, at(5)}, {1, at(5, {2})}, {2, at(5)}, {3, at(5, {2})}}, 1)) ==
        std::vector<PeerId>{0, 1, 3});
  auto newcomer = at(0);
  newcomer.presence = Presence::catches_up;
  CHECK(ids_of(next_view(four, {{1, newcomer}, {3, at(5, {1})}}, 1)) == std::vector<PeerId>{3});
  // A suspect that has not answered is out anyway.
  CHECK(ids_of(next_view(four, {{0, at(5, {3})}, {1, at(5, {3})}, {2, at(5, {3})}}, 1)) ==
        std::vector<PeerId>{0, 1, 2});
}

TEST_CASE(
    "next view: joiners come, whoever knows them, and a peer that is started anew takes its old place") {
  auto knows = at(5);
  knows.joiners = {{9, 90}, {2, 40}};
  auto also = at(5);
  also.joiners = {{9, 91}, {1, 50}};  // 1 is alive: another process cannot have its id
  const auto decision = next_view(four, {{0, knows}, {1, also}, {3, at(5)}}, 1);
  REQUIRE(decision);
  CHECK(decision->next.members == std::vector<Member>{{0, 10}, {1, 11}, {2, 40}, {3, 13}, {9, 91}});
  // A member that has not answered may be in the middle of a sum: it is out, whoever takes it for a joiner.
  knows.joiners = {{2, 12}};
  CHECK(ids_of(next_view(four, {{0, knows}, {1, at(5)}, {3, at(5)}}, 1)) == std::vector<PeerId>{0, 1, 3});
}

TEST_CASE("next view: at most as many join as stay, and the vote of who has the state casts") {
  auto knows = at(5);
  knows.joiners = {{0, 40}, {1, 41}, {7, 70}, {8, 80}};
  const auto decision = next_view(four, {{2, knows}, {3, at(5)}}, 1);
  CHECK(ids_of(decision) == std::vector<PeerId>{0, 1, 2, 3});
  CHECK(decision->next.casts == 2);
  CHECK(is_majority(decision->next, {2, 3}));
}

TEST_CASE("next view: fewer members than the run permits are no view") {
  CHECK_FALSE(next_view(four, {{0, at(5)}, {1, at(5)}}, 3));
  CHECK(next_view(four, {{0, at(5)}, {1, at(5)}}, 2));
}

}  // namespace hearsay::test::next_view_test
