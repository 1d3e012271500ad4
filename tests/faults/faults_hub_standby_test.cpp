#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/faults/host_peers.hpp"
#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_hub_standby_test {

// A hub with a standby (failure.hub_standby), with real processes: the hub is killed, stands still, or
// leaves.

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::string run_file = R"toml(
[run]
iterations = 300
evaluate_every = 10
[data]
source = "synthetic(samples=4000, features=20, classes=3)"
[topology]
kind = "star"
peers = 5
hub = "dedicated"
[algorithm]
local_steps = 2
step_size = 0.01
[network]
compute = "2 ms"
[failure]
policy = "drop"
lost_after = "1 s"
hub_standby = 1
)toml";

/// A run whose hub does not reach the end.
class Disturbed {
 public:
  explicit Disturbed(const std::string& method) : run_(make(folder_, method)) {
    REQUIRE_MESSAGE(run_.reaches(4), run_.program().complained());
    hub_ = run_.program().children().front();
  }
  pid_t hub() const { return hub_; }
  LocalPeers& run() { return run_; }

  /// Checks that the run ended as an undisturbed one: with the same losses and the same model, bit for bit.
  Json check_end() {
    const int code = run_.program().wait();
    const std::string words = run_.program().complained();
    REQUIRE_MESSAGE(code == 0, words);
    CHECK_MESSAGE(contains(words, "peer 1 takes over from the hub, peer 0"), words);
    CHECK(run_.program().everyone_ended());
    REQUIRE(run_program(folder_.path(), {"simulate", "run.toml", "--quiet", "--output", "calm"}).code == 0);
    const RunRecord record = record_of(output());
    const RunRecord calm = record_of(folder_.path() / "calm");
    REQUIRE(record.evaluations.size() == calm.evaluations.size());
    for (std::size_t k = 0; k < calm.evaluations.size(); ++k)
      CHECK(Json::parse(record.evaluations[k])["loss"] == Json::parse(calm.evaluations[k])["loss"]);
    CHECK(content_of(output() / "model.npy") == content_of(folder_.path() / "calm" / "model.npy"));
    CHECK(record.summary["status"] == "done");
    CHECK(record.summary["dropped"] == std::vector<std::size_t>{0});
    CHECK(record.summary["took_over"]["peer"] == 1);
    return record.summary;
  }

 private:
  static LocalPeers make(DataFolder& folder, const std::string& method) {
    std::string text = run_file;
    text.replace(text.find("[algorithm]\n"), 12, "[algorithm]\nkind = \"" + method + "\"\n");
    folder.write("run.toml", text);
    return LocalPeers(folder.path(), folder.path() / "out");
  }
  fs::path output() const { return folder_.path() / "out"; }

  DataFolder folder_;
  LocalPeers run_;
  pid_t hub_ = 0;
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults, standby: a run whose hub is killed ends with the bits of one whose hub lives") {
    for (const char* method : {"fed-avg", "gen-qsgd"}) {
      CAPTURE(method);
      Disturbed disturbed(method);
      disturbed.run().kill_peer(disturbed.hub());
      const Json summary = disturbed.check_end();
      CHECK(summary["took_over"]["iteration"] >= 30);
    }
  }

  TEST_CASE("faults, standby: a hub that is suspended is replaced, and ends when it is woken") {
    Disturbed disturbed("fed-paq");
    kill(disturbed.hub(), SIGSTOP);
    REQUIRE(disturbed.run().program().wait_until([&] {
      return contains(disturbed.run().program().complained(), "peer 1 takes over from the hub, peer 0");
    }));
    kill(disturbed.hub(), SIGCONT);
    disturbed.check_end();
    // The observer is told why it ends: nobody has asked it to.
    CHECK_FALSE(contains(disturbed.run().program().complained(), "it was asked to end"));
  }

  TEST_CASE("faults, standby: a hub that is asked to leave (SIGTERM) leaves the run to its standby") {
    Disturbed disturbed("fed-avg");
    kill(disturbed.hub(), SIGTERM);
    disturbed.check_end();
  }

  TEST_CASE("faults, standby: a hub whose host stands still keeps the record when it wakes") {
    HostPeers hosts({.iterations = "900",
                     .failure = "policy = \"drop\"\nlost_after = \"1 s\"\nhub_standby = 1\n",
                     .family = "star",
                     .algorithm = "kind = \"fed-avg\"\nlocal_steps = 2\n"});
    const std::vector<std::string> dedicated = {"--set", "topology.hub=dedicated"};
    hosts.start_all(dedicated);
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(0).process(), SIGSTOP);
    REQUIRE(hosts.peer(1).wait_until(
        [&] { return contains(hosts.peer(1).complained(), "takes over from the hub, peer 0"); }));
    kill(hosts.peer(0).process(), SIGCONT);
    for (const std::size_t id : {0, 1, 2, 3})
      CHECK_MESSAGE(hosts.peer(id).wait() == 0, hosts.peer(id).complained());
    CHECK(contains(hosts.peer(0).complained(), "peer 1 has taken over from this hub"));
    const fs::path folder = hosts.output(0).parent_path().parent_path();
    REQUIRE(run_program(folder,
                        {"simulate", "run.toml", "--quiet", "--output", "calm", dedicated[0], dedicated[1]})
                .code == 0);
    CHECK(content_of(hosts.output(0) / "model.npy") == content_of(folder / "calm" / "model.npy"));
    CHECK(record_of(hosts.output(0)).summary["took_over"]["peer"] == 1);
  }

  TEST_CASE("faults, standby: where the hub is killed on its host, the standby keeps the model") {
    HostPeers hosts({.iterations = "600",
                     .failure = "policy = \"drop\"\nlost_after = \"1 s\"\nhub_standby = 2\n",
                     .family = "star",
                     .algorithm = "kind = \"fed-avg\"\nlocal_steps = 2\n"});
    const std::vector<std::string> dedicated = {"--set", "topology.hub=dedicated"};
    hosts.start_all(dedicated);
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(0);
    for (const std::size_t id : {1, 2, 3})
      CHECK_MESSAGE(hosts.peer(id).wait() == 0, hosts.peer(id).complained());
    const fs::path folder = hosts.output(0).parent_path().parent_path();
    REQUIRE(run_program(folder,
                        {"simulate", "run.toml", "--quiet", "--output", "calm", dedicated[0], dedicated[1]})
                .code == 0);
    CHECK(content_of(hosts.output(2) / "model-2.npy") == content_of(folder / "calm" / "model.npy"));
  }
}

}  // namespace hearsay::test::faults_hub_standby_test
