#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runtime/program/program_fleet.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::fleet_test {

namespace {

/// The programs of three peers, which have said where they begin.
class Three {
 public:
  explicit Three(const std::string& fault, ProgramCare care = {.answer_within = std::chrono::seconds(60)}) {
    std::vector<ProgramFleet::Plan> plans;
    for (PeerId id = 0; id < 3; ++id)
      plans.push_back({.command = {.words = {HEARSAY_ANSWERING_PROGRAM, fault},
                                   .directory = folder_.path(),
                                   .peer = id,
                                   .peers = 3},
                       .facts = {.peer = id, .peers = 3}});
    fleet_.emplace(std::move(plans), std::move(care), 1000);
  }

  Program& program(PeerId id) { return *fleet_->programs()[id]; }
  /// Asks the program of a peer for a score.
  void ask(PeerId id) {
    program(id).ask({.kind = ProgramQuestion::Kind::score}, [] {});
  }
  void await_end(PeerId id) { REQUIRE(program(id).process()->is_gone(60'000)); }
  /// Ends the run well. Returns what the fleet says of its programs; "" if it says nothing.
  std::string end(const std::vector<PeerId>& dropped = {}) {
    try {
      fleet_->say_end({0, "", ""}, dropped);
    } catch (const ProgramFailure& failure) {
      return failure.what();
    }
    return "";
  }

 private:
  TemporaryFolder folder_{"hearsay_fleet"};
  std::optional<ProgramFleet> fleet_;
};

}  // namespace

TEST_CASE(
    "program fleet: one that has ended badly before it heard of a good end is named, and how it ended") {
  Three programs("kill-after-x0");
  for (const PeerId id : {0, 2}) programs.await_end(id);
  CHECK(programs.end() ==
        "the program of peer 0 has failed after its last answer, by signal 9 (Killed); the program of peer 2 "
        "has failed after its last answer, by signal 9 (Killed)");
}

TEST_CASE(
    "program fleet: programs that have not said what they are asked first are named, and for how long") {
  const std::string bound =
      " within 400 ms (model.answer_within); expected one that waits for no other program";
  for (const auto& each :
       {std::array{"slow-hello", "its hello, the size of its model,", ""},
        std::array{"slow-hellos", "its hello, the size of its model,", ", nor has that of peer 2"},
        std::array{"slow-x0", "its x_0", ""}}) {
    const std::string fault = each[0];
    const std::string awaited = each[1];
    CAPTURE(fault);
    std::vector<std::string> said;
    const auto refusal = [&] {
      try {
        Three programs(fault, {.answer_within = std::chrono::milliseconds(400),
                               .on_wait = [&](const std::string& sentence) { said.push_back(sentence); },
                               .wait_at_start = std::chrono::milliseconds(100)});
      } catch (const SilentStart& silence) {
        return std::string(silence.what());
      }
      return std::string();
    }();
    CHECK_MESSAGE(refusal.find("the program of peer 1 has not said " + awaited + bound) != refusal.npos,
                  refusal);
    REQUIRE(said.size() >= 2);
    CHECK(said[said.size() - 2] == "the program of peer 1 has not said " + awaited + " for 100 ms now" +
                                       each[2] + "; it may take 400 ms (model.answer_within)");
    CHECK(said.back() == "the program of peer 1 has not said " + awaited + " for 200 ms now" + each[2] +
                             "; it may take 400 ms (model.answer_within)");
  }
}

TEST_CASE("program fleet: how the program of a peer ends that was dropped is no failure") {
  Three programs("kill-after-x0");
  for (const PeerId id : {0, 2}) programs.await_end(id);
  CHECK(programs.end({0}) == "the program of peer 2 has failed after its last answer, by signal 9 (Killed)");
  Three others("kill-after-x0");
  for (const PeerId id : {0, 2}) others.await_end(id);
  CHECK(others.end({0, 2}) == "");
}

TEST_CASE("program fleet: one that a forked process has started anew is judged as that process saw it end") {
  for (const auto& each :
       {std::pair{"none", ""},
        std::pair{"fail-after",
                  "the program of peer 1 has failed after its last answer, with exit code 5"}}) {
    const std::string fault = each.first;
    const std::string said = each.second;
    CAPTURE(fault);
    Three programs(fault);
    programs.program(1).process()->signal(SIGKILL);
    programs.await_end(1);
    const pid_t peer = fork();
    if (peer == 0) {
      programs.ask(1);
      _exit(programs.end() == "" ? 0 : 1);
    }
    int status = -1;
    waitpid(peer, &status, 0);
    CHECK(status == 0);
    CHECK(programs.end() == said);
  }
}

TEST_CASE("program fleet: one that has ended with the process that had started it anew is named") {
  Three programs("none");
  programs.program(1).process()->signal(SIGKILL);
  programs.await_end(1);
  const pid_t peer = fork();
  if (peer == 0) {
    programs.ask(1);
    _exit(0);
  }
  waitpid(peer, nullptr, 0);
  CHECK(programs.end() == "the program of peer 1 has ended with the process of its peer");
}

}  // namespace hearsay::fleet_test
