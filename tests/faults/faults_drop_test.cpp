#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>

#include "algorithms/arithmetic/random.hpp"
#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/network_namespaces.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_drop_test {

// Policy "drop" with the real processes of `hearsay run`.

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::string problem = R"toml(
[run]
iterations = 300
evaluate_every = 10
[data]
source = "synthetic(samples=8000, features=20, classes=3)"
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, levels=127, bucket=512)"
step_size = 0.002
[network]
compute = "2 ms"
[failure]
policy = "drop"
lost_after = "2 s"
)toml";

/// A run whose peers may die. Without checkpoints all children of `hearsay run` are peers, in the order of
/// their ids.
struct Scene {
  explicit Scene(const std::string& topology) {
    folder.write("run.toml", problem + "[topology]\n" + topology + "\n");
  }
  fs::path output() const { return folder.path() / "out"; }
  LocalPeers start(std::vector<std::string> more = {}) const {
    return LocalPeers(folder.path(), output(), std::move(more));
  }
  DataFolder folder;
};

std::vector<double> losses_of(const RunRecord& record) {
  std::vector<double> losses;
  for (const std::string& evaluation : record.evaluations)
    losses.push_back(Json::parse(evaluation)["loss"].get<double>());
  return losses;
}

/// Checks that the run ended well without the peers `dropped` (ascending), and that it learned after
/// `evaluations` evaluations. Returns its record.
RunRecord check_end(const Scene& scene, LocalPeers& run, const std::vector<std::size_t>& dropped,
                    std::size_t evaluations) {
  const int code = run.program().wait();
  REQUIRE_MESSAGE(code == 0, run.program().complained());
  CHECK(run.program().everyone_ended());
  const RunRecord record = record_of(scene.output());
  CHECK(record.summary["status"] == "done");
  CHECK(record.summary["dropped"] == dropped);
  CHECK(record.summary["replicas_consistent"] == true);
  for (const Json& peer : record.summary["per_peer"])
    if (std::ranges::find(dropped, peer["peer"].get<std::size_t>()) == dropped.end())
      CHECK(peer["iterations"] == 300);
  const std::vector<double> losses = losses_of(record);
  REQUIRE(losses.size() == 31);
  CHECK(losses.back() < losses[evaluations]);
  return record;
}

/// Adopts the processes that lose their parent, so that this process can wait for them.
class Orphanage {
 public:
  Orphanage() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Orphanage() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Orphanage(const Orphanage&) = delete;
  Orphanage& operator=(const Orphanage&) = delete;

  /// Waits for the end of the orphan and returns its exit code; -1 if it did not exit.
  int code_of(pid_t orphan) const {
    int status = 0;
    if (!all_ended({orphan}) || waitpid(orphan, &status, WNOHANG) != orphan || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
  }
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults, drop: a run goes on without a random peer that is killed at a random instant") {
    for (const std::uint64_t seed : {1, 2, 3}) {
      CAPTURE(seed);
      RandomStream random(seed, 0, 0, Purpose::data);
      const Scene scene("kind = \"ring\"\npeers = 5");
      LocalPeers run = scene.start();
      const std::size_t evaluations = 2 + random.below(12);
      REQUIRE_MESSAGE(run.reaches(evaluations), run.program().complained());
      const std::vector<pid_t> peers = run.program().children();
      REQUIRE(peers.size() == 5);
      const std::size_t victim = random.below(5);
      run.kill_peer(peers[victim]);
      check_end(scene, run, {victim}, evaluations);
      CHECK(contains(run.program().complained(), "goes on without peer " + std::to_string(victim)));
    }
  }

  TEST_CASE("faults, drop: two peers killed one after the other, and then one more, cost the run only them") {
    const Scene scene("kind = \"complete\"\npeers = 5");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(3), run.program().complained());
    const std::vector<pid_t> peers = run.program().children();
    run.kill_peer(peers[3]);
    REQUIRE_MESSAGE(run.reaches(8), run.program().complained());
    run.kill_peer(peers[0]);
    REQUIRE_MESSAGE(run.reaches(13), run.program().complained());
    run.kill_peer(peers[4]);
    check_end(scene, run, {0, 3, 4}, 13);
  }

  TEST_CASE("faults, drop: a path that is cut in two goes on in both halves, and is evaluated as one") {
    const Scene scene("kind = \"path\"\npeers = 5");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    run.kill_peer(run.program().children()[2]);
    const RunRecord record = check_end(scene, run, {2}, 5);
    // The halves have drifted apart, but each half agrees within itself.
    const Json& digests = record.summary["model_digest"];
    CHECK(digests[1] != digests[3]);
    CHECK(record.summary["consensus_distance"].get<double>() > 0.0);
  }

  TEST_CASE("faults, drop: the last peer that is left goes on alone") {
    const Scene scene("kind = \"ring\"\npeers = 4");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    const std::vector<pid_t> peers = run.program().children();
    for (const std::size_t victim : {0, 1, 3}) run.kill_peer(peers[victim]);
    REQUIRE_MESSAGE(run.program().wait() == 0, run.program().complained());
    const RunRecord record = record_of(scene.output());
    CHECK(record.summary["status"] == "done");
    CHECK(record.summary["dropped"].size() == 3);
    CHECK(record.summary["per_peer"][2]["iterations"] == 300);
    const std::vector<double> losses = losses_of(record);
    CHECK(losses.size() == 31);
    CHECK(losses.back() < losses[5]);
  }

  TEST_CASE("faults, drop: where all peers are killed, the run is lost, and says so") {
    const Scene scene("kind = \"ring\"\npeers = 4");
    LocalPeers run = scene.start();
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    for (const pid_t peer : run.program().children()) run.kill_peer(peer);
    CHECK(run.program().wait() == 3);
    CHECK_MESSAGE(contains(run.program().complained(), "hearsay: all peers were lost"),
                  run.program().complained());
    CHECK(run.program().everyone_ended());
    const RunRecord record = record_of(scene.output());
    CHECK(record.summary["status"] == "lost");
    CHECK(record.summary["dropped"].size() == 4);
  }

  TEST_CASE(
      "faults, drop: kill -9 of hearsay run ends no peer: each goes on to its end and keeps its model") {
    const Scene scene("kind = \"ring\"\npeers = 4");
    const Orphanage orphanage;
    LocalPeers run = scene.start({"--set", "failure.lost_after=1 min"});  // the end is noticed much sooner
    REQUIRE_MESSAGE(run.reaches(5), run.program().complained());
    const std::vector<pid_t> peers = run.program().children();
    REQUIRE(peers.size() == 4);
    kill(run.program().process(), SIGKILL);
    CHECK(run.program().wait() == -SIGKILL);
    for (std::size_t id = 0; id < peers.size(); ++id) {
      CAPTURE(id);
      CHECK_MESSAGE(orphanage.code_of(peers[id]) == 0, run.program().complained());
      CHECK(fs::file_size(scene.output() / ("model-" + std::to_string(id) + ".npy")) > 20 * 3 * 4);
    }
    CHECK(run.program().everyone_ended());
    CHECK_FALSE(fs::exists(scene.output() / "summary.json"));
    CHECK_MESSAGE(contains(run.program().complained(), "each keeps its own model"),
                  run.program().complained());
  }

  TEST_CASE("faults, drop: Ctrl-C ends everybody, also without those that are gone") {
    for (const bool killed : {false, true}) {
      const Scene scene("kind = \"ring\"\npeers = 4");
      LocalPeers run = scene.start({"--set", "run.iterations=1000000"});
      REQUIRE_MESSAGE(run.reaches(3), run.program().complained());
      if (killed) run.kill_peer(run.program().children()[1]);
      REQUIRE_MESSAGE(run.reaches(8), run.program().complained());
      run.program().signal_group(SIGINT);
      CHECK(run.program().wait() == 130);
      CHECK(run.program().everyone_ended());
      CHECK(record_of(scene.output()).summary["status"] == "interrupted");
      CHECK(record_of(scene.output()).summary["dropped"].size() == (killed ? 1 : 0));
    }
  }

  TEST_CASE("faults, drop: a second Ctrl-C, upon which hearsay run ends at once, leaves no peer behind") {
    const Scene scene("kind = \"ring\"\npeers = 4");
    LocalPeers run = scene.start({"--set", "run.iterations=1000000", "--set", "failure.lost_after=1 min"});
    REQUIRE_MESSAGE(run.reaches(3), run.program().complained());
    const std::vector<pid_t> peers = run.program().children();
    // The stopped peers cannot react, and the user presses Ctrl-C a second time.
    for (const pid_t peer : peers) kill(peer, SIGSTOP);
    run.program().signal_group(SIGINT);
    let_pass(200);
    run.program().signal_group(SIGINT);
    CHECK(run.program().wait() == 130);
    CHECK_FALSE(fs::exists(scene.output() / "summary.json"));  // not in good order
    for (const pid_t peer : peers) kill(peer, SIGCONT);
    CHECK(run.program().everyone_ended());
  }

  TEST_CASE(
      "faults, drop: the record of a run keeps what a peer did before it was gone, but no model of it") {
    const Scene scene("kind = \"ring\"\npeers = 4");
    LocalPeers run = scene.start({"--save", "peers"});
    REQUIRE_MESSAGE(run.reaches(15), run.program().complained());
    run.kill_peer(run.program().children()[1]);
    const RunRecord record = check_end(scene, run, {1}, 15);
    for (const char* grows :
         {"epoch", "bytes_sent", "messages_sent", "gradient_evaluations", "gossip_rounds"}) {
      CAPTURE(grows);
      std::vector<double> values;
      for (const std::string& evaluation : record.evaluations)
        values.push_back(Json::parse(evaluation)[grows].get<double>());
      CHECK(std::ranges::is_sorted(values));
    }
    CHECK(record.summary["per_peer"][1]["iterations"].get<int>() >= 140);
    CHECK(record.summary["per_peer"][1]["iterations"].get<int>() < 300);
    CHECK(record.summary["bytes_sent"] == record.total("bytes_sent"));
    CHECK(fs::exists(scene.output() / "model-0.npy"));
    CHECK_FALSE(fs::exists(scene.output() / "model-1.npy"));
  }

  TEST_CASE("faults, drop: what cannot do without a peer, or could bring it back, is refused in a sentence") {
    const Scene scene("kind = \"ring\"\npeers = 4");
    const auto refusal = [&](const std::vector<std::string>& settings) {
      std::vector<std::string> words = {"run", "run.toml", "--quiet"};
      for (const std::string& setting : settings) {
        words.push_back("--set");
        words.push_back(setting);
      }
      const ProgramEnd end = run_program(scene.folder.path(), words);
      CHECK(end.code == 2);
      CHECK(std::ranges::count(end.complained, '\n') == 1);
      CHECK_FALSE(fs::exists(scene.folder.path() / "runs"));
      return end.complained;
    };
    const std::string refused = "failure.policy = \"drop\": ";
    for (const char* kind : {"d2", "gradient-tracking", "cedas", "beer", "c-gt", "sgp"}) {
      const std::string said = refusal({"algorithm.kind=" + std::string(kind), "algorithm.compressor="});
      CHECK_MESSAGE(contains(said, refused), said);
      CHECK_MESSAGE(contains(said, "keeps sums over all peers"), said);
    }
    for (const char* kind : {"lgc-ring", "ad-psgd"}) {
      const std::string said = refusal({"algorithm.kind=" + std::string(kind), "algorithm.compressor="});
      CHECK_MESSAGE(contains(said, "cannot do without any peer"), said);
    }
    std::string said = refusal({"failure.checkpoint_every=10"});
    CHECK_MESSAGE(contains(said, "failure.checkpoint_every"), said);
    said = refusal({"topology.schedule=one-peer-exponential"});
    CHECK_MESSAGE(contains(said, "static schedule"), said);
    said = refusal({"topology.participation=0.5"});
    CHECK_MESSAGE(contains(said, "static schedule"), said);
  }
}

}  // namespace hearsay::test::faults_drop_test
