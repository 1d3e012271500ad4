#include <doctest/doctest.h>
#include <signal.h>

#include "runtime/checkpoint/packet_log.hpp"
#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_first_second_test {

namespace {

namespace fs = std::filesystem;

std::string four_peers(const std::string& failure) {
  return R"toml(
[run]
iterations = 120
evaluate_every = 10
[data]
source = "synthetic(samples=96, features=20, classes=3)"
[topology]
peers = 4
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, levels=127, bucket=512)"
[network]
compute = "3 ms"
[failure]
)toml" + failure;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults: a peer that is killed before the run begins is started again, and no bit changes") {
    const DataFolder folder;
    folder.write("run.toml", four_peers("checkpoint_every = 7\n"));
    REQUIRE(run_program(folder.path(), {"simulate", "run.toml", "--quiet", "--output", "calm"}).code == 0);
    for (const bool replaces : {false, true}) {  // what an earlier run has left is no checkpoint of this one
      CAPTURE(replaces);
      LocalPeers run(folder.path(), folder.path() / "out",
                     replaces ? std::vector<std::string>{"--overwrite"} : std::vector<std::string>{});
      REQUIRE(run.program().wait_until([&] { return run.program().children().size() >= 3; }));
      run.kill_peer(run.peers()[1]);
      REQUIRE_MESSAGE(run.program().wait() == 0, run.program().complained());
      check_same_run(record_of(folder.path() / "out"), record_of(folder.path() / "calm"));
    }
  }

  TEST_CASE("faults, drop: a run begins without a peer that is killed before") {
    const DataFolder folder;
    folder.write("run.toml", four_peers("policy = \"drop\"\nlost_after = \"2 s\"\n"));
    for (const std::size_t victim : {0u, 2u}) {
      CAPTURE(victim);
      LocalPeers run(folder.path(), folder.path() / "out", {"--overwrite"});
      REQUIRE(run.program().wait_until([&] { return run.program().children().size() > victim; }));
      kill(run.program().children()[victim], SIGKILL);
      REQUIRE_MESSAGE(run.program().wait() == 0, run.program().complained());
      const RunRecord record = record_of(folder.path() / "out");
      CHECK(record.summary["dropped"] == std::vector<std::size_t>{victim});
      CHECK(record.summary["iterations"] == 120);
    }
  }

  TEST_CASE("faults: a peer whose log is damaged comes back with all others, to a checkpoint of all") {
    const DataFolder folder;
    folder.write("run.toml", four_peers("checkpoint_every = 20\n"));
    REQUIRE(run_program(folder.path(), {"simulate", "run.toml", "--quiet", "--output", "calm"}).code == 0);
    LocalPeers run(folder.path(), folder.path() / "out");
    REQUIRE_MESSAGE(run.reaches(6), run.program().complained());
    const pid_t victim = run.peers()[1];
    kill(victim, SIGSTOP);  // the others go on to where they need its messages
    const fs::path checkpoints = folder.path() / "out/checkpoints";
    for (const std::uint64_t since : list_logs(checkpoints, 1))
      fs::resize_file(log_path(checkpoints, 1, since), 0);
    run.kill_peer(victim);
    REQUIRE_MESSAGE(run.program().wait() == 0, run.program().complained());
    check_same_run(record_of(folder.path() / "out"), record_of(folder.path() / "calm"));
  }
}

}  // namespace hearsay::test::faults_first_second_test
