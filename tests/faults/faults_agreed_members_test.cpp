#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/faults/host_peers.hpp"
#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_agreed_members_test {

// Policy "drop" with methods of which every iteration takes a part of each peer, in real processes.

namespace fs = std::filesystem;

namespace {

const std::string all_reduce = "kind = \"allreduce-sgd\"\n";
const std::string streaming = "kind = \"streaming-diloco\"\nlocal_steps = 4\nfragments = 2\n";

HostPeers::Setup hosts_with(const std::string& algorithm, const std::string& lost_after = "1 s") {
  return {.iterations = "600",
          .failure = "policy = \"drop\"\nlost_after = \"" + lost_after + "\"\n",
          .algorithm = algorithm};
}

/// Checks that the run ended well without the peers `dropped`, and that the others had one model.
void check_record(const fs::path& output, const std::vector<std::size_t>& dropped) {
  const RunRecord record = record_of(output);
  CHECK(record.summary["status"] == "done");
  CHECK(record.summary["dropped"] == dropped);
  CHECK(record.summary["iterations"] == 600);
  std::optional<std::string> digest;
  for (const auto& peer : record.summary["per_peer"]) {
    const auto id = peer["peer"].get<std::size_t>();
    if (std::ranges::find(dropped, id) != dropped.end()) continue;
    CHECK(peer["iterations"] == 600);
    const auto own = record.summary["model_digest"][id].get<std::string>();
    CHECK(own == digest.value_or(own));
    digest = own;
  }
}

/// Of `hearsay run`. Its children are the peers, in the order of their ids.
struct Local {
  explicit Local(const std::string& algorithm) {
    folder.write("run.toml",
                 "[run]\niterations = 600\nevaluate_every = 10\n[data]\n"
                 "source = \"synthetic(samples=96, features=20, classes=3)\"\n[algorithm]\n" +
                     algorithm +
                     "[network]\ncompute = \"2 ms\"\n[topology]\nkind = \"ring\"\npeers = 4\n"
                     "[failure]\npolicy = \"drop\"\nlost_after = \"2 s\"\n");
  }
  fs::path output() const { return folder.path() / "out"; }
  DataFolder folder;
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults, agreed members: hosts go on without one that was killed, with one model") {
    for (const std::string& algorithm : {all_reduce, streaming}) {
      CAPTURE(algorithm);
      HostPeers hosts(hosts_with(algorithm));
      hosts.start_all();
      REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
      hosts.kill_peer(2);
      for (const std::size_t id : {0, 1, 3}) {
        hosts.check_that_it_ends_well(id);
        CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer 2"),
                      hosts.peer(id).complained());
      }
      check_record(hosts.output(0), {2});
    }
  }

  TEST_CASE("faults, agreed members: where peer 0 is killed with the observer, the others keep one model") {
    HostPeers hosts(hosts_with(all_reduce));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(0);
    std::optional<std::string> model;
    for (const std::size_t id : {1, 2, 3}) {
      hosts.check_that_it_ends_well(id);
      const std::string own = content_of(hosts.output(id) / ("model-" + std::to_string(id) + ".npy"));
      CHECK(own == model.value_or(own));
      model = own;
    }
  }

  TEST_CASE("faults, agreed members: a host that stands still for too long is out, and ends when it wakes") {
    HostPeers hosts(hosts_with(all_reduce));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGSTOP);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGCONT);
    CHECK(hosts.peer(2).wait() == 3);
    CHECK_MESSAGE(contains(hosts.peer(2).complained(), "the others have gone on without it"),
                  hosts.peer(2).complained());
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    check_record(hosts.output(0), {2});
  }

  TEST_CASE("faults, agreed members: a host that goes out of service (SIGTERM) leaves at once") {
    HostPeers hosts(hosts_with(streaming, "20 s"));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGTERM);
    CHECK(hosts.peer(2).wait() == 130);
    for (const std::size_t id : {0, 1, 3}) {
      hosts.check_that_it_ends_well(id);
      CHECK_FALSE(contains(hosts.peer(id).complained(), "has said nothing"));
    }
    check_record(hosts.output(0), {2});
  }

  TEST_CASE("faults, agreed members: the last host of four is no majority, ends with 3, and says why") {
    HostPeers hosts(hosts_with(all_reduce));
    hosts.start_all({"--wait", "3 s"});
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    for (const std::size_t id : {0, 1, 2}) hosts.kill_peer(id);
    CHECK(hosts.peer(3).wait() == 3);
    CHECK_MESSAGE(contains(hosts.peer(3).complained(), "which is no majority of the 4 members"),
                  hosts.peer(3).complained());
  }

  TEST_CASE("faults, agreed members: hearsay run goes on without those killed, and with the last one alone") {
    for (const std::string& algorithm : {all_reduce, streaming}) {
      CAPTURE(algorithm);
      const Local scene(algorithm);
      LocalPeers run(scene.folder.path(), scene.output());
      REQUIRE_MESSAGE(run.reaches(4), run.program().complained());
      const std::vector<pid_t> peers = run.program().children();
      REQUIRE(peers.size() == 4);
      run.kill_peer(peers[3]);
      REQUIRE_MESSAGE(run.reaches(20), run.program().complained());
      for (const std::size_t victim : {0, 2}) run.kill_peer(peers[victim]);
      REQUIRE_MESSAGE(run.program().wait() == 0, run.program().complained());
      CHECK(run.program().everyone_ended());
      check_record(scene.output(), {0, 2, 3});
    }
  }

  TEST_CASE("faults, agreed members: a process that is started anew is refused, with the reason") {
    HostPeers hosts(hosts_with(all_reduce));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());
    hosts.start(2);
    const int code = hosts.peer(2).wait();
    CHECK_MESSAGE((code == 2 || code == 3), hosts.peer(2).complained());
    CHECK_MESSAGE(contains(hosts.peer(2).complained(), "allreduce-sgd cannot be joined"),
                  hosts.peer(2).complained());
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    check_record(hosts.output(0), {2});
  }
}

}  // namespace hearsay::test::faults_agreed_members_test
