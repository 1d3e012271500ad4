#include "runtime/supervision/supervisor.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/supervision/supervised_children.hpp"

namespace hearsay::test::supervisor_test {

using namespace std::chrono_literals;

namespace {

using Policy = Supervisor::Policy;
using By = ProcessEnd::By;

Supervisor::Terms terms(Policy policy, bool can_start = true) {
  return {.policy = policy, .can_start = can_start, .lost_after = 1s};
}

constexpr PeerId child = 1;  // of three

std::string how_of(std::optional<LostPeer> loss) { return loss ? loss->how : ""; }

}  // namespace

TEST_CASE("supervisor: a sentence says who was lost, and how") {
  const auto sentence = [](const std::string& reason, std::optional<ProcessEnd> end) {
    SupervisedChildren scene(terms(Policy::end), 3);
    scene.start();
    scene.end(child, reason, end);
    return how_of(scene.supervisor.next_loss());
  };
  CHECK(sentence("", ProcessEnd{By::outside, 15}) == "peer 1 was lost: killed by signal 15");
  CHECK(sentence("", ProcessEnd{By::own_fault, 11}) == "peer 1 was lost: killed by signal 11");
  CHECK(sentence("", ProcessEnd{By::exit, 3}) == "peer 1 was lost: it ended with code 3");
  CHECK(sentence("", std::nullopt) == "peer 1 was lost: killed by signal 9");
  CHECK(sentence("no room", ProcessEnd{By::exit, 3}) == "peer 1: no room");
  CHECK(sentence("no room", std::nullopt) == "peer 1: no room");
  CHECK(sentence("peer 0: no room", ProcessEnd{By::exit, 3}) == "peer 0: no room");
  CHECK(sentence("peer zero: no room", std::nullopt) == "peer 1: peer zero: no room");
  CHECK(sentence("peer 0 is silent", std::nullopt) == "peer 1: peer 0 is silent");
}

TEST_CASE(
    "supervisor: the others are told the last words of a child, which its own word may be too late for") {
  const auto to_others = [](const std::string& reason) {
    SupervisedChildren scene(terms(Policy::drop), 3);
    scene.start();
    scene.end(child, reason, ProcessEnd{By::exit, 3});
    return scene.supervisor.next_loss().value_or(LostPeer{}).to_others;
  };
  CHECK(to_others("peer 1: its objective failed in iteration 8: ValueError: x") ==
        "it has left: its objective failed in iteration 8: ValueError: x");
  CHECK(to_others("its address is taken") == "it has left: its address is taken");
  CHECK(to_others("peer 0: no room") == "it has left: peer 0: no room");
  CHECK(to_others("").empty());  // it was killed, and said nothing
}

TEST_CASE(
    "supervisor: a child that was to resume and took no part says that it cannot come back, unless "
    "interrupted") {
  const auto words = [](int exit_code, bool took_part, bool resumes) {
    return last_words({.exit_code = exit_code, .reason = "why", .took_part = took_part}, resumes);
  };
  for (const bool resumes : {false, true}) {
    CHECK(words(0, true, resumes) == ended_well);
    CHECK(words(3, true, resumes) == "why");
    CHECK(words(130, false, resumes) == "why");
  }
  CHECK(words(3, false, false) == "why");
  CHECK(words(3, false, true) == "cannot come back: why");
  CHECK(words(2, false, true) == "cannot come back: why");
}

TEST_CASE("supervisor: wrong input, which a child of its own says with exit code 2, ends the run as such") {
  SupervisedChildren scene(terms(Policy::drop), 3);
  scene.end(child, "run.scalar is wrong", ProcessEnd{By::exit, 2});
  CHECK(scene.refusal == "peer 1: run.scalar is wrong");
  SupervisedChildren mute(terms(Policy::drop), 3);
  mute.end(child, "", ProcessEnd{By::exit, 2});
  CHECK(mute.refusal.empty());
  CHECK(how_of(mute.supervisor.next_loss()) == "peer 1 was lost: it ended with code 2");
}

TEST_CASE("supervisor: a process that was started again may be turned away with exit code 2, and is lost") {
  SupervisedChildren scene(terms(Policy::drop), 3);
  scene.start();
  REQUIRE(scene.supervisor.end_by_fault(child, true));
  scene.carry_out();
  REQUIRE(scene.supervisor.start_by_fault(child));
  scene.carry_out();
  while (scene.supervisor.next_loss()) continue;
  scene.end(child, "the run has ended", ProcessEnd{By::exit, 2});
  CHECK(scene.refusal.empty());
  CHECK(how_of(scene.supervisor.next_loss()) == "peer 1: the run has ended");
}

TEST_CASE("supervisor: why a peer did not join is told if it ended before it could be heard") {
  const auto told = [](bool says_its_address, const std::string& reason) {
    SupervisedChildren scene(terms(Policy::drop), 3, child);
    scene.start();
    REQUIRE(scene.supervisor.start_by_fault(child));
    scene.carry_out();
    if (says_its_address) scene.hear(child, SupervisedChildren::address_of(child));
    scene.end(child, reason, std::nullopt);
    return scene.news;
  };
  CHECK(told(false, "cannot listen") == std::vector<std::string>{"peer 1 did not join: cannot listen"});
  CHECK(told(false, "") == std::vector<std::string>{"peer 1 was lost: killed by signal 9"});
  CHECK(told(true, "the run has ended").empty());
}

TEST_CASE(
    "supervisor: a killed peer comes back from its checkpoint, so often and no more, and hears who is "
    "where") {
  SupervisedChildren scene(terms(Policy::restore), 3);
  scene.end_from_outside(child);
  CHECK(scene.done == std::vector<std::string>{"start 1"});  // the run has not begun
  CHECK_FALSE(scene.processes[child].knows_addresses);
  CHECK(scene.news.back() == "peer 1 was killed before the run began; it is started again");
  scene.start();
  for (int kill = 1; kill < Supervisor::most_restarts; ++kill) {
    scene.end_from_outside(child);
    REQUIRE(scene.processes[child].resumes);
    REQUIRE(scene.processes[child].knows_addresses);
    scene.hear(child, SupervisedChildren::address_of(child));
  }
  CHECK(scene.news.back() == "peer 1 was killed; it comes back from its checkpoint");
  CHECK(scene.supervisor.restarts() == Supervisor::most_restarts);
  CHECK_FALSE(scene.supervisor.next_loss());
  scene.end_from_outside(child);
  CHECK(how_of(scene.supervisor.next_loss()) == "peer 1 was lost: killed by signal 9");
  scene.end_from_outside(2);  // each for itself
  CHECK(scene.processes[2].is_there);
}

TEST_CASE(
    "supervisor: in a run that goes on from checkpoints, one that is killed before it begins does, too") {
  Supervisor::Terms resuming = terms(Policy::restore);
  resuming.resumes = true;
  SupervisedChildren scene(resuming, 3);
  scene.end_from_outside(child);
  CHECK(scene.done == std::vector<std::string>{"start 1 from its checkpoint"});
}

TEST_CASE("supervisor: where no process can be started, a peer that is killed is lost") {
  SupervisedChildren without(terms(Policy::restore, false), 3);
  without.can_start = false;
  without.start();
  without.end_from_outside(child);
  CHECK(how_of(without.supervisor.next_loss()) == "peer 1 was lost: killed by signal 9");

  SupervisedChildren refusing(terms(Policy::restore), 3);
  refusing.start();
  refusing.refuses_starts = true;
  refusing.end_from_outside(child);
  CHECK(how_of(refusing.supervisor.next_loss()) == "peer 1 was lost: killed by signal 9");
  CHECK(refusing.supervisor.restarts() == 0);

  SupervisedChildren gone(terms(Policy::restore), 3);
  gone.start();
  gone.supervisor.note_end_of_starter();
  gone.can_start = false;
  CHECK(gone.news == std::vector<std::string>{
                         "the process that starts peers anew was killed; another peer that is killed ends "
                         "the run"});
  gone.end_from_outside(child);
  CHECK(how_of(gone.supervisor.next_loss()) == "peer 1 was lost: killed by signal 9");
  CHECK_FALSE(gone.supervisor.start_by_fault(child));
}

TEST_CASE("supervisor: one that cannot come back alone sends all back, so often and no more") {
  SupervisedChildren scene(terms(Policy::restore), 3);
  const std::string word = std::string(cannot_come_back) + "its log is torn";
  scene.start();
  for (int back = 0; back < Supervisor::most_go_backs; ++back) {
    scene.end_from_outside(2);
    if (back == 5) scene.hear(2, ended_well);  // it is sent back, too
    scene.done.clear();
    scene.hear(child, word);
    CHECK(scene.done == std::vector<std::string>{"end 0", "end 1", "end 2"});
    CHECK(scene.news.back() ==
          "peer 1 cannot come back alone (its log is torn); all peers go back to a checkpoint of all");
    REQUIRE(scene.supervisor.have_to_go_back());
    const auto loss = scene.supervisor.next_loss();
    REQUIRE(loss);
    CHECK_FALSE(loss->id);
    CHECK(loss->how == "its log is torn");
    scene.done.clear();
    scene.supervisor.go_back();
    scene.carry_out();
    CHECK(scene.done == std::vector<std::string>{"start 0 from its checkpoint", "start 1 from its checkpoint",
                                                 "start 2 from its checkpoint"});
    CHECK_FALSE(scene.processes[0].knows_addresses);
    REQUIRE_FALSE(scene.supervisor.have_to_go_back());
    scene.start();
    CHECK(scene.processes[0].knows_addresses);
  }
  scene.end(child, word, std::nullopt);
  CHECK_FALSE(scene.supervisor.have_to_go_back());
  CHECK(how_of(scene.supervisor.next_loss()) == "peer 1: its log is torn");
}

TEST_CASE(
    "supervisor: all that go back begin once more: with no restarts, and without addresses until they are "
    "told") {
  SupervisedChildren scene(terms(Policy::restore), 3);
  scene.start();
  for (int kill = 0; kill < Supervisor::most_restarts; ++kill) scene.end_from_outside(0);
  scene.hear(child, std::string(cannot_come_back) + "why");
  REQUIRE(scene.supervisor.next_loss());
  scene.supervisor.go_back();
  scene.carry_out();
  scene.end_from_outside(0);
  CHECK(scene.processes[0].resumes);
  CHECK_FALSE(scene.processes[0].knows_addresses);
  CHECK(scene.news.back() == "peer 0 was killed before the run began; it is started again");
}

TEST_CASE("supervisor: before the run begins nobody sends all back, nor do they go where no process starts") {
  SupervisedChildren early(terms(Policy::restore), 3);
  for (PeerId id = 0; id < 3; ++id) early.hear(id, SupervisedChildren::address_of(id));
  early.tell();
  early.end(child, std::string(cannot_come_back) + "why", std::nullopt);
  CHECK(how_of(early.supervisor.next_loss()) == "peer 1: why");

  SupervisedChildren refusing(terms(Policy::restore), 3);
  refusing.start();
  refusing.hear(child, std::string(cannot_come_back) + "why");
  refusing.refuses_starts = true;
  refusing.supervisor.go_back();
  refusing.carry_out();
  CHECK(refusing.refusal == "this machine gives out no more processes for peer 2");
}

TEST_CASE("supervisor: who says nothing for too long while addresses are gathered is lost") {
  const Duration limit = 1s + Supervisor::time_to_come_up;
  SupervisedChildren scene(terms(Policy::drop), 3);
  scene.hear(0, SupervisedChildren::address_of(0));
  scene.supervisor.note_silence(child, limit);
  scene.carry_out();
  CHECK(scene.supervisor.awaits_address_of(child));
  scene.supervisor.note_silence(child, limit + 50ms);
  scene.carry_out();
  CHECK_FALSE(scene.supervisor.awaits_address_of(child));
  CHECK_FALSE(scene.processes[child].is_there);
  CHECK_FALSE(scene.supervisor.cannot_begin());
  scene.hear(2, SupervisedChildren::address_of(2));
  scene.tell();
  CHECK(scene.supervisor.addresses() ==
        "tcp://127.0.0.1:100\ntcp://127.0.0.1:1\ntcp://127.0.0.1:102\ntcp://127.0.0.1:99\n");
  CHECK(scene.processes[2].knows_addresses);
  CHECK(how_of(scene.supervisor.next_loss()) == "peer 1 was lost: it has said nothing for 11050 ms");

  SupervisedChildren waiting(terms(Policy::end), 3);
  waiting.supervisor.note_silence(child, limit + 50ms);
  waiting.carry_out();
  CHECK(waiting.supervisor.cannot_begin() == "peer 1 was lost: it has said nothing for 11050 ms");
}

TEST_CASE(
    "supervisor: a child that says that it is at work, before or after it has come up, says nothing else") {
  SupervisedChildren scene(terms(Policy::drop), 3);
  scene.hear(child, at_work);
  CHECK(scene.supervisor.awaits_address_of(child));
  CHECK(scene.processes[child].is_there);
  for (PeerId id = 0; id < 3; ++id) scene.hear(id, SupervisedChildren::address_of(id));
  scene.hear(child, at_work);
  scene.tell();
  CHECK(scene.processes[child].knows_addresses);
  CHECK_FALSE(scene.supervisor.next_loss());
}

TEST_CASE("supervisor: a peer that a fault has killed is missed unless it comes back from its checkpoint") {
  for (const Policy policy : {Policy::end, Policy::restore, Policy::drop}) {
    for (const bool comes_back : {false, true}) {
      CAPTURE(static_cast<int>(policy));
      CAPTURE(comes_back);
      SupervisedChildren scene(terms(policy), 3);
      scene.start();
      REQUIRE(scene.supervisor.end_by_fault(child, comes_back));
      scene.carry_out();
      const bool is_awaited = comes_back && policy == Policy::restore;
      CHECK(how_of(scene.supervisor.next_loss()) ==
            (is_awaited ? "" : "peer 1 was lost: killed by signal 9"));
      REQUIRE(scene.supervisor.start_by_fault(child));
      scene.carry_out();
      CHECK(scene.processes[child].resumes == (policy == Policy::restore));
      CHECK(scene.processes[child].knows_addresses);
      CHECK(scene.supervisor.may_have_come_late(child) == (policy != Policy::restore));
      CHECK(scene.supervisor.restarts() == (policy == Policy::restore ? 1 : 0));
      CHECK(scene.news.empty());
    }
  }
}

TEST_CASE("supervisor: a peer that was to come back and cannot be started is missed after all") {
  SupervisedChildren scene(terms(Policy::restore), 3);
  scene.start();
  scene.supervisor.end_by_fault(child, true);
  scene.carry_out();
  scene.refuses_starts = true;
  REQUIRE(scene.supervisor.start_by_fault(child));
  scene.carry_out();
  CHECK(scene.news == std::vector<std::string>{"peer 1 was not started again"});
  CHECK(how_of(scene.supervisor.next_loss()) == "peer 1 was lost: killed by signal 9");
  CHECK_FALSE(scene.supervisor.start_by_fault(child));
}

TEST_CASE(
    "supervisor: a peer that joins later is told the addresses, is lost to nobody, and begins without a "
    "state") {
  for (const Policy policy : {Policy::restore, Policy::drop}) {
    SupervisedChildren scene(terms(policy), 3, child);
    scene.start();
    CHECK(scene.supervisor.addresses() ==
          "tcp://127.0.0.1:100\ntcp://127.0.0.1:101\ntcp://127.0.0.1:102\ntcp://127.0.0.1:99\n");
    CHECK_FALSE(scene.supervisor.end_by_fault(child, true));
    CHECK_FALSE(scene.supervisor.freeze(child));
    REQUIRE(scene.supervisor.start_by_fault(child));
    scene.carry_out();
    CHECK(scene.done == std::vector<std::string>{"start 1"});
    CHECK(scene.processes[child].knows_addresses);
    CHECK(scene.supervisor.may_have_come_late(child));
    CHECK(scene.supervisor.restarts() == 0);
    CHECK_FALSE(scene.supervisor.next_loss());
  }
}

TEST_CASE("supervisor: a process that a fault has stopped goes on, and none that has taken its place") {
  SupervisedChildren scene(terms(Policy::restore), 3);
  scene.start();
  const auto life = scene.supervisor.freeze(child);
  scene.carry_out();
  REQUIRE(life);
  CHECK(scene.processes[child].stands_still);
  CHECK(scene.supervisor.stands_still(child));
  CHECK_FALSE(scene.supervisor.freeze(child));
  scene.end_from_outside(child);  // and is started again
  CHECK_FALSE(scene.supervisor.stands_still(child));
  const auto next = scene.supervisor.freeze(child);
  scene.carry_out();
  REQUIRE(next);
  scene.supervisor.thaw(child, *life);
  scene.carry_out();
  CHECK(scene.processes[child].stands_still);
  scene.supervisor.thaw(child, *next);
  scene.carry_out();
  CHECK_FALSE(scene.processes[child].stands_still);
}

TEST_CASE("supervisor: a process that was stopped behind its last words goes on, else it would never end") {
  for (const std::string word : {ended_well, "a reason", cannot_come_back}) {
    SupervisedChildren scene(terms(Policy::drop), 3);
    scene.start();
    scene.supervisor.freeze(child);
    scene.carry_out();
    scene.hear(child, word);
    CHECK_FALSE(scene.processes[child].stands_still);
  }
}

}  // namespace hearsay::test::supervisor_test
