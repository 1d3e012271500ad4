#include "tools/launch/launched_run.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::launched_run_test {

namespace {

/// A launch of peers n1 and n2 whose processes are shell scripts.
struct TwoScripts {
  DataFolder folder;
  LaunchedRunPlan plan;

  TwoScripts(const std::string& n1, const std::string& n2) {
    signal(SIGPIPE, SIG_IGN);  // as in the program, since these peers end without reading their input
    plan.output = folder.path() / "out";
    plan.peers = {peer(0, "n1", n1), peer(1, "n2", n2)};
  }

 private:
  LaunchedPeerPlan peer(PeerId id, const std::string& name, const std::string& script) const {
    return {.id = id,
            .label = name,
            .name = name,
            .words = {"sh", "-c", script},
            .directory = folder.path(),
            .parcel = "",
            .host = "",
            .leaves_in = ""};
  }
};

const std::string starts = "echo 'hearsay-parcel {\"event\":\"started\",\"files\":[]}'; ";
const std::string waits = "exec sleep 1000";
constexpr int interrupted = 130;

}  // namespace

TEST_CASE(
    "launched run: the end of a peer that another one's end asked to end is not the reason, whichever is "
    "seen first") {
  const std::string is_asked = starts + "exit 130", breaks = starts + "exit 255";
  for (const bool asked_first : {true, false}) {
    CAPTURE(asked_first);
    const TwoScripts run(asked_first ? is_asked : breaks, asked_first ? breaks : is_asked);
    const LaunchedRunEnd end = run_launched(run.plan);
    CHECK(end.exit_code == 3);
    CHECK_MESSAGE(contains(end.reason, asked_first ? "peer n2: it was lost" : "peer n1: it was lost"),
                  end.reason);
  }
}

TEST_CASE(
    "launched run: a peer that is killed before it has started is lost, the user's input is not wrong") {
  for (const std::string signal : {"9", "15", "6"}) {
    const TwoScripts run(starts + "exit 130", "kill -" + signal + " $$");
    const LaunchedRunEnd end = run_launched(run.plan);
    CHECK(end.exit_code == 3);
    CHECK(end.reason == "peer n2: it was killed by signal " + signal);
  }
  // A shell on the host says so in its own way.
  CHECK(run_launched(TwoScripts(waits, "exit 137").plan).exit_code == 3);
}

TEST_CASE(
    "launched run, drop: peer 0 is told which started peer has ended, and how, so that it need not wait for "
    "it") {
  for (const auto& [n2, how] :
       {std::pair{"kill -9 $$", "it was killed by signal 9"},
        std::pair{"exit 255", "it was lost: it was killed, or its ssh connection broke"}}) {
    TwoScripts run(starts + "exec grep -m1 ended: > told", starts + n2);
    run.plan.drops = true;
    run.plan.lost_after = Duration{0};  // the patience with a peer that may live
    CHECK(run_launched(run.plan).exit_code == 0);
    CHECK(content_of(run.folder.path() / "told") == "ended: 1 " + std::string(how) + "\n");
  }
}

TEST_CASE("launched run: a host that cannot be used, or refuses the run file, is wrong input") {
  for (const std::string code : {"255", "127", "126", "2"}) {
    const TwoScripts run(waits, "exit " + code);
    const LaunchedRunEnd end = run_launched(run.plan);
    CHECK(end.exit_code == 2);
    CHECK(end.reason == "peer n2: it ended with code " + code);
  }
}

TEST_CASE("launched run: a peer that the launcher itself has killed is not the reason") {
  const TwoScripts run("exit 130", waits);
  const LaunchedRunEnd end = run_launched(run.plan);
  CHECK(end.exit_code == interrupted);
  CHECK(end.reason == "peer n1: it ended with code 130");
}

}  // namespace hearsay::test::launched_run_test
