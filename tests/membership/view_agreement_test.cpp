#include "runtime/membership/view_agreement.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <map>

namespace hearsay::test::view_agreement_test {

using namespace membership;
using namespace std::chrono_literals;

namespace {

/// Members whose words arrive at once, unless they are lost. Time stands still between the steps of a test.
class Council {
 public:
  explicit Council(PeerId count) {
    View view;
    for (PeerId id = 0; id < count; ++id) view.members.push_back({id, id});
    for (const Member& member : view.members)
      members_.emplace(member.id, ViewAgreement(member, {.patience = 1s, .repeat = 100ms}, {.last = {view}}));
  }

  void add(PeerId id, ViewAgreement member) { members_.emplace(id, std::move(member)); }
  ViewAgreement& operator[](PeerId id) { return members_.at(id); }
  void lose(PeerId id) { members_.erase(id); }
  /// All members that are there suspect `suspect`.
  void suspect(PeerId suspect) {
    for (auto& [id, member] : members_) member.stand({.suspects = {suspect}});
  }
  void pass(Duration time) {
    now += time;
    for (auto& [id, member] : members_) member.tick(now);
    deliver();
  }
  void deliver() {
    std::deque<std::pair<Member, ViewAgreement::Addressed>> under_way;
    const auto collect = [&] {
      for (auto& [id, member] : members_) {
        for (const auto& letter : member.effects().letters) under_way.push_back({{id, id}, letter});
        member.effects() = {};
      }
    };
    for (collect(); !under_way.empty(); collect()) {
      const auto [from, addressed] = under_way.front();
      under_way.pop_front();
      ++words;
      if (members_.contains(addressed.to.id)) members_.at(addressed.to.id).hear(now, from, addressed.letter);
    }
  }
  std::vector<PeerId> ids_at(PeerId id) {
    std::vector<PeerId> ids;
    for (const Member& member : members_.at(id).view().members) ids.push_back(member.id);
    return ids;
  }

  Instant now{};
  std::uint64_t words = 0;

 private:
  std::map<PeerId, ViewAgreement> members_;
};

}  // namespace

TEST_CASE("view agreement: if nothing happens nothing is said") {
  Council council(8);
  for (int k = 0; k < 100; ++k) council.pass(1s);
  CHECK(council.words == 0);
  CHECK(council[3].view().number == 0);
}

TEST_CASE("view agreement: a lost member is out after two round trips, at all others") {
  Council council(8);
  council.lose(3);
  council.suspect(3);
  council.pass(100ms);
  for (const PeerId id : {0, 1, 2, 4, 5, 6, 7}) {
    CHECK(council.ids_at(id) == std::vector<PeerId>{0, 1, 2, 4, 5, 6, 7});
    CHECK_FALSE(council[id].is_frozen());
  }
  // Freeze, promise, propose, accept, decided, noted; a few to the lost one, and wishes of those who wait.
  CHECK(council.words <= 6 * 7 + 7 * 7);
}

TEST_CASE("view agreement: if the first member is lost, the second one proposes") {
  Council council(5);
  council.lose(0);
  council.suspect(0);
  council.pass(100ms);
  CHECK(council.ids_at(1) == std::vector<PeerId>{1, 2, 3, 4});
  CHECK(council.ids_at(4) == std::vector<PeerId>{1, 2, 3, 4});
}

TEST_CASE("view agreement: of two the one with the casting vote goes on, the other waits, frozen") {
  Council first(2);
  first.lose(1);
  first.suspect(1);
  first.pass(100ms);
  CHECK(first.ids_at(0) == std::vector<PeerId>{0});

  Council second(2);
  second.lose(0);
  second.suspect(0);
  for (int k = 0; k < 100; ++k) second.pass(1s);
  CHECK(second.ids_at(1) == std::vector<PeerId>{0, 1});
  CHECK(second[1].is_frozen());
}

TEST_CASE("view agreement: what may have been decided is decided, if the record was kept") {
  const ViewAgreement::Terms terms{.patience = 1s, .repeat = 100ms};
  const View three{0, {{0, 0}, {1, 1}, {2, 2}}};
  const Decision without_2{{1, {{0, 0}, {1, 1}}, 0}, {4, 0}};
  for (const bool keeps_record : {true, false}) {
    CAPTURE(keeps_record);
    // Peers 0 and 1 have accepted, so peer 0 may have decided. It is lost, and peer 1 is started anew.
    ViewAgreement before({1, 1}, terms, {.last = {three}});
    before.hear({}, {0, 0}, {0, Propose{{1, 0}, without_2}});
    ViewAgreement first({1, 1}, terms, keeps_record ? before.record() : ViewAgreement::Record{{three}});
    Council council(0);
    council.add(1, std::move(first));
    council.add(2, ViewAgreement({2, 2}, terms, {.last = {three}}));
    for (const PeerId id : {1, 2}) council[id].stand({.completed = 4, .suspects = {0}});
    for (int k = 0; k < 100 && council[2].view().number == 0 && !council[2].is_out(); ++k)
      council.pass(100ms);
    CHECK((council[1].record().last == without_2) == keeps_record);
  }
}

TEST_CASE(
    "view agreement: a member that missed the decision learns it from the first message of the new view") {
  Council council(4);
  council.lose(3);
  council.suspect(3);
  Member late{2, 2};
  ViewAgreement behind(late, {.patience = 1s, .repeat = 100ms}, council[2].record());
  council.pass(100ms);
  REQUIRE(council[0].view().number == 1);
  behind.hear_of_view({0, 0}, 1);
  REQUIRE(behind.effects().letters.size() == 1);
  council[0].hear(council.now, late, behind.effects().letters.front().letter);
  REQUIRE(council[0].effects().letters.size() == 1);
  behind.hear(council.now, {0, 0}, council[0].effects().letters.front().letter);
  CHECK(behind.view() == council[0].view());
  REQUIRE(behind.effects().decided.size() == 1);
  CHECK(behind.effects().keep);
}

TEST_CASE("view agreement: started anew with its record, a member keeps what it has promised") {
  Council council(3);
  council[1].hear(council.now, {0, 0}, {0, Freeze{{5, 0}}});
  CHECK(council[1].effects().keep);
  ViewAgreement anew({1, 1}, {.patience = 1s, .repeat = 100ms}, council[1].record());
  CHECK(anew.is_frozen());
  anew.hear(council.now, {2, 2}, {0, Freeze{{4, 2}}});
  REQUIRE(anew.effects().letters.size() == 1);
  CHECK(anew.effects().letters.front().letter == Letter{0, Refusal{{5, 0}}});
}

}  // namespace hearsay::test::view_agreement_test
