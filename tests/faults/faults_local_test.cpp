#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/checkpoint/checkpoint.hpp"
#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_local_test {

namespace {

namespace fs = std::filesystem;

const std::string four_peers = R"toml(
[run]
iterations = 300
evaluate_every = 10
[data]
source = "synthetic(samples=96, features=20, classes=3)"
[topology]
peers = 4
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, levels=127, bucket=512)"
[network]
compute = "2 ms"
)toml";

/// A run with a model of 16 kB.
const std::string large_model = R"toml(
[run]
iterations = 100
evaluate_every = 10
[data]
source = "synthetic(samples=96, features=400, classes=10)"
[topology]
peers = 4
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, levels=127, bucket=512)"
)toml";

std::size_t count_of(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

/// A run of four peers, and the same run undisturbed.
struct Scene {
  explicit Scene(const std::string& checkpoint_every, const std::string& run = four_peers,
                 const std::string& failure = {}) {
    folder.write("run.toml", run + "[failure]\ncheckpoint_every = " + checkpoint_every + "\n" + failure);
    REQUIRE(run_program(folder.path(), {"simulate", "run.toml", "--quiet", "--output", "calm"}).code == 0);
  }
  fs::path output() const { return folder.path() / "out"; }
  RunRecord calm() const { return record_of(folder.path() / "calm"); }
  LocalPeers start(std::vector<std::string> more = {}) const {
    return LocalPeers(folder.path(), output(), std::move(more));
  }
  /// Checks that the run ended well, and with the bits of the undisturbed run although peers were killed.
  void check_end(LocalPeers& run) const {
    const int code = run.program().wait();
    REQUIRE_MESSAGE(code == 0, run.program().complained());
    CHECK(run.program().everyone_ended());
    const RunRecord record = record_of(output());
    check_same_run(record, calm());
    CHECK(record.summary["restarts"] == run.kills());
  }
  DataFolder folder;
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults: peers of hearsay run that are killed at random instants change no bit") {
    const Scene scene("7");
    LocalPeers run = scene.start();
    constexpr std::uint64_t seed = 1;
    CAPTURE(seed);
    RandomStream random(seed, 0, 0, Purpose::data);
    for (std::size_t kill = 0; kill < 5; ++kill) {
      REQUIRE_MESSAGE(run.reaches(2 + 4 * kill + random.below(4)), run.program().complained());
      const std::vector<pid_t> peers = run.peers();
      REQUIRE(peers.size() == 4);
      REQUIRE(run.kill_and_see_it_return(peers[random.below(4)]));
    }
    scene.check_end(run);
    CHECK(run.kills() == 5);
  }

  TEST_CASE("faults: a peer that is killed while evaluations are on the emulated network changes no bit") {
    const Scene scene("7", large_model + R"toml(
[network]
bandwidth = "4 Mbit/s"
latency = "20 ms"
evaluations = "shaped"
)toml");
    LocalPeers run = scene.start();
    for (const std::size_t evaluations : {3, 6}) {
      REQUIRE_MESSAGE(run.reaches(evaluations), run.program().complained());
      REQUIRE(run.kill_and_see_it_return(run.peers()[1]));
    }
    scene.check_end(run);
  }

  TEST_CASE("faults: a peer that is killed again as soon as it is back, and once more, changes no bit") {
    const Scene scene("7");
    LocalPeers run = scene.start();
    REQUIRE(run.reaches(5));
    std::optional<pid_t> victim = run.peers()[2];
    for (int kill = 0; kill < 4; ++kill) {
      victim = run.kill_and_see_it_return(*victim);
      REQUIRE_MESSAGE(victim, run.program().complained());
    }
    scene.check_end(run);
    CHECK(run.kills() == 4);
  }

  TEST_CASE("faults: two neighbors killed at once, then all four, change no bit") {
    const Scene scene("7");
    LocalPeers run = scene.start();
    REQUIRE(run.reaches(4));
    const std::vector<pid_t> first = run.peers();
    run.kill_peer(first[0]);
    run.kill_peer(first[1]);
    REQUIRE_MESSAGE(run.reaches(12), run.program().complained());
    const std::vector<pid_t> second = run.peers();
    REQUIRE(second.size() == 4);
    for (const pid_t peer : second) run.kill_peer(peer);
    scene.check_end(run);
    CHECK(run.kills() == 6);
  }

  TEST_CASE("faults: a peer that is killed while it lives through its log changes no bit") {
    // Gradients that take a while, and one log of all of them.
    const Scene scene("1000");
    LocalPeers run = scene.start({"--set", "algorithm.batch=full", "--set",
                                  "data.source=synthetic(samples=4000, features=400, classes=10)", "--set",
                                  "run.iterations=100"});
    REQUIRE(run.reaches(6));
    std::optional<pid_t> victim = run.peers()[1];
    for (int kill = 0; kill < 3; ++kill) {
      victim = run.kill_and_see_it_return(*victim);
      REQUIRE_MESSAGE(victim, run.program().complained());
      REQUIRE(run.program().wait_until([&] { return has_open(*victim, "log-1-"); }));
    }
    const int code = run.program().wait();
    REQUIRE_MESSAGE(code == 0, run.program().complained());
    REQUIRE(run_program(scene.folder.path(), {"simulate", "run.toml", "--quiet", "--output", "slow", "--set",
                                              "algorithm.batch=full", "--set",
                                              "data.source=synthetic(samples=4000, features=400, classes=10)",
                                              "--set", "run.iterations=100"})
                .code == 0);
    const RunRecord record = record_of(scene.output());
    check_same_run(record, record_of(scene.folder.path() / "slow"));
    CHECK(record.summary["restarts"] == 3);
  }

  TEST_CASE("faults: a peer that is killed while it writes a checkpoint changes no bit") {
    const Scene scene("1");
    LocalPeers run = scene.start();
    REQUIRE(run.reaches(2));
    int torn = 0;
    for (int kill = 0; kill < 20 && torn < 2; ++kill) {
      std::optional<pid_t> writer;
      const std::vector<pid_t> peers = run.peers();
      REQUIRE(run.program().wait_until([&] {
        for (int look = 0; look < 200 && !writer; ++look)
          for (const pid_t peer : peers)
            if (!writer && has_open(peer, "checkpoint-")) writer = peer;
        return writer.has_value();
      }));
      REQUIRE_MESSAGE(run.kill_and_see_it_return(*writer), run.program().complained());
      // A peer killed in the middle of a write leaves half a file. The next checkpoint of its successor
      // removes it.
      for (const fs::directory_entry& file : fs::directory_iterator(scene.output() / "checkpoints"))
        torn += file.path().extension() == ".partial" ? 1 : 0;
    }
    CHECK(torn > 0);
    scene.check_end(run);
  }

  TEST_CASE("faults: kill -9 of hearsay run leaves nobody behind, and --resume ends with the same bits") {
    const Scene scene("7");
    for (std::size_t evaluations = 4; evaluations <= 20; evaluations += 8) {
      LocalPeers run =
          scene.start(evaluations == 4 ? std::vector<std::string>{} : std::vector<std::string>{"--resume"});
      REQUIRE_MESSAGE(run.reaches(evaluations), run.program().complained());
      if (evaluations > 4) run.kill_and_see_it_return(run.peers()[0]);  // one that the fork server has made
      std::vector<pid_t> processes = run.program().children();
      for (const pid_t peer : run.peers()) processes.push_back(peer);
      REQUIRE(processes.size() >= 5);
      kill(run.program().process(), SIGKILL);
      CHECK(run.program().wait() == -SIGKILL);
      CHECK(run.program().everyone_ended());
      CHECK_FALSE(fs::exists(scene.output() / "summary.json"));
    }
    LocalPeers run = scene.start({"--resume"});
    scene.check_end(run);
  }

  TEST_CASE(
      "faults: --resume with other settings, or while the run is under way, is refused, and nothing is "
      "lost") {
    const Scene scene("7");
    {
      LocalPeers run = scene.start();
      REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
      LocalPeers second = scene.start({"--resume"});
      CHECK(second.program().wait() == 2);
      CHECK_MESSAGE(contains(second.program().complained(), "a run that is under way has it"),
                    second.program().complained());
      REQUIRE_MESSAGE(run.reaches(8), run.program().complained());
      kill(run.program().process(), SIGKILL);
      CHECK(run.program().wait() == -SIGKILL);
      CHECK(run.program().everyone_ended());
    }
    const auto refused = [&](const std::string& change, const std::string& reason) {
      LocalPeers other = scene.start({"--resume", "--set", change});
      CHECK(other.program().wait() == 2);
      CHECK_MESSAGE(contains(other.program().complained(), reason), other.program().complained());
    };
    refused("run.seed=9", "it is of a run with other settings");
    refused("run.iterations=20", "the run that is to be resumed has done");
    LocalPeers run = scene.start({"--resume"});
    scene.check_end(run);
  }

  TEST_CASE(
      "faults: where checkpoints go by the time, all peers take the same ones, and --resume changes no bit") {
    const Scene scene("\"30 ms\"");
    const fs::path checkpoints = scene.output() / "checkpoints";
    LocalPeers first = scene.start();
    REQUIRE_MESSAGE(first.program().wait_until([&] {
      for (PeerId id = 0; id < 4; ++id)
        if (list_checkpoints(checkpoints, id).empty()) return false;
      return true;
    }),
                    first.program().complained());
    REQUIRE(first.kill_and_see_it_return(first.peers()[1]));
    kill(first.program().process(), SIGKILL);
    CHECK(first.program().wait() == -SIGKILL);
    CHECK(first.program().everyone_ended());
    CHECK_FALSE(fs::exists(scene.output() / "summary.json"));
    LocalPeers run = scene.start({"--resume"});
    scene.check_end(run);
    const std::vector<std::uint64_t> taken = list_checkpoints(checkpoints, 0);
    CHECK(taken.size() > 1);
    for (PeerId id = 1; id < 4; ++id) CHECK(list_checkpoints(checkpoints, id) == taken);
  }

  TEST_CASE("faults: a run that is stopped for longer than failure.lost_after, as by Ctrl-Z, goes on") {
    const Scene scene("7", four_peers, "lost_after = \"1 s\"\n");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    run.program().signal_group(SIGSTOP);
    let_pass(200);
    const std::size_t standing = evaluations_in(scene.output());
    let_pass(2500);
    CHECK(evaluations_in(scene.output()) == standing);
    CHECK(standing < 30);
    run.program().signal_group(SIGCONT);
    scene.check_end(run);
  }

  TEST_CASE("faults: where the process that starts peers anew is killed, that is said, and the run goes on") {
    const Scene scene("7");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    kill(run.program().children().front(), SIGKILL);
    scene.check_end(run);
    CHECK(count_of("the process that starts peers anew was killed", run.program().complained()) == 1);
  }

  TEST_CASE("faults: without the process that starts peers anew, one that is killed ends the run, by name") {
    const Scene scene("7");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    const std::vector<pid_t> peers = run.peers();
    kill(run.program().children().front(), SIGKILL);
    run.kill_peer(peers[2]);
    CHECK(run.program().wait() == 3);
    CHECK_MESSAGE(contains(run.program().complained(), "hearsay: peer 2 was lost: killed by signal 9"),
                  run.program().complained());
    CHECK(run.program().everyone_ended());
  }

  TEST_CASE("faults: files that may not grow cost the checkpoints, one sentence a peer, and not the run") {
    const Scene scene("7", large_model);
    LocalPeers run(scene.folder.path(), scene.output(), {}, [] {
      const rlimit limit{28'000, 28'000};  // the model is smaller, a checkpoint is not
      setrlimit(RLIMIT_FSIZE, &limit);
    });
    scene.check_end(run);
    const std::string said = run.program().complained();
    CHECK_MESSAGE(count_of("could not keep what it would need to come back", said) == 4, said);
    CHECK(contains(said, "File too large"));
  }

  TEST_CASE("faults: a full disk costs the checkpoints, one sentence a peer, and not the run") {
    if (geteuid() != 0) {
      MESSAGE("skipped: a full disk (only root may mount one)");
      return;
    }
    const Scene scene("7", large_model);
    // A short run before the disk becomes full; the next run extends it.
    LocalPeers before = scene.start({"--set", "run.iterations=10"});
    REQUIRE(before.program().wait() == 0);
    const std::string checkpoints = scene.output() / "checkpoints";
    const std::string small = scene.folder.path() / "small";
    fs::create_directory(small);
    std::uintmax_t pages = 1;
    for (const auto& file : fs::directory_iterator(checkpoints)) pages += file.file_size() / 4096 + 1;
    const std::string size = "size=" + std::to_string(4 * pages) + "k";  // what is there, and no more
    LocalPeers run(scene.folder.path(), scene.output(), {"--resume"}, [&] {
      const bool is_small = unshare(CLONE_NEWNS) == 0 &&
                            mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                            mount("small", small.c_str(), "tmpfs", 0, size.c_str()) == 0;
      if (!is_small) _exit(126);
      fs::copy(checkpoints, small);
      if (mount(small.c_str(), checkpoints.c_str(), nullptr, MS_MOVE, nullptr) != 0) _exit(126);
    });
    scene.check_end(run);
    const std::string said = run.program().complained();
    CHECK_MESSAGE(count_of("could not keep what it would need to come back", said) == 4, said);
    CHECK(contains(said, "No space left on device"));
  }
}

}  // namespace hearsay::test::faults_local_test
