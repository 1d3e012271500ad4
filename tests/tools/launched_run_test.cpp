#include "tools/launch/launched_run.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::launched_run_test {

TEST_CASE(
    "launched run: the end of a peer that another one's end asked to end is not the reason, whichever is "
    "seen first") {
  signal(SIGPIPE, SIG_IGN);  // as in the program, since these peers end without reading their input
  const DataFolder folder;
  const auto peer = [&](const std::string& name, int code) {
    const std::string script =
        "echo 'hearsay-parcel {\"event\":\"started\",\"files\":[]}'; exit " + std::to_string(code);
    return LaunchedPeerPlan{.id = name == "n1" ? 0u : 1u,
                            .label = name,
                            .name = name,
                            .words = {"sh", "-c", script},
                            .directory = folder.path(),
                            .parcel = "",
                            .host = "",
                            .leaves_in = ""};
  };
  constexpr int interrupted = 130;
  constexpr int connection_broke = 255;
  for (const bool echo_first : {true, false}) {
    CAPTURE(echo_first);
    LaunchedRunPlan plan;
    plan.output = folder.path() / "out";
    plan.peers = {peer("n1", echo_first ? interrupted : connection_broke),
                  peer("n2", echo_first ? connection_broke : interrupted)};
    const LaunchedRunEnd end = run_launched(plan);
    CHECK(end.exit_code == 3);
    CHECK_MESSAGE(contains(end.reason, echo_first ? "peer n2: it was lost" : "peer n1: it was lost"),
                  end.reason);
  }
}

}  // namespace hearsay::test::launched_run_test
