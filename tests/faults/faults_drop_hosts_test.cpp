#include <doctest/doctest.h>
#include <signal.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/faults/host_peers.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::faults_drop_hosts_test {

// Policy "drop" on several hosts, where only silence tells that a peer is gone.

namespace fs = std::filesystem;

namespace {

const HostPeers::Setup dropping = {.iterations = "600",
                                   .failure = "policy = \"drop\"\nlost_after = \"1 s\"\n"};

/// Checks that the run ended well without the peers `dropped`. Returns the record of peer 0.
RunRecord check_record(const HostPeers& hosts, const std::vector<std::size_t>& dropped) {
  const RunRecord record = record_of(hosts.output(0));
  CHECK(record.summary["status"] == "done");
  CHECK(record.summary["dropped"] == dropped);
  CHECK(record.summary["replicas_consistent"] == true);
  CHECK(record.summary["iterations"] == 600);
  return record;
}

void check_that_it_keeps_its_own_model(HostPeers& hosts, std::size_t id) {
  hosts.check_that_it_ends_well(id);
  CHECK(fs::exists(hosts.output(id) / ("model-" + std::to_string(id) + ".npy")));
  CHECK_MESSAGE(contains(hosts.peer(id).complained(), "each keeps its own model"),
                hosts.peer(id).complained());
}

void check_that_it_joined(HostPeers& hosts, std::size_t id, std::uint64_t iterations) {
  for (std::size_t each = 0; each < HostPeers::count; ++each) hosts.check_that_it_ends_well(each);
  const RunRecord record = record_of(hosts.output(0));
  CHECK(record.summary["status"] == "done");
  CHECK(record.summary["joined"] == std::vector<std::size_t>{id});
  CHECK(record.summary["dropped"].empty());
  CHECK(record.summary["returned"] == 0);
  CHECK(record.summary["replicas_consistent"] == true);
  for (const auto& peer : record.summary["per_peer"]) CHECK(peer["iterations"] == iterations);
  CHECK(record.summary["per_peer"][id]["bytes_sent"] > 0);
  const std::string words = hosts.peer(id).complained();
  CHECK_MESSAGE(contains(words, "peer " + std::to_string(id) + " joins at iteration"), words);
  CHECK_MESSAGE(contains(words, "with the model of peer"), words);
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults, drop: hosts go on without a peer that was killed on its host") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    check_record(hosts, {2});
    const RunRecord record = record_of(hosts.output(0));
    for (const std::size_t id : {1, 3}) {
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer 2"),
                    hosts.peer(id).complained());
      // The others waited for the silent peer, not for the one that spoke last.
      double stood = 0.0;
      for (const auto& wait : record.summary["per_peer"][id]["waited_for"])
        if (wait["peer"] == 2) stood = wait["seconds"].get<double>();
      CHECK(stood > 0.5);
    }
  }

  TEST_CASE(
      "faults, drop: hosts wait for a peer 0 that is killed before the run begins, as long as --wait says") {
    for (const bool comes_back : {true, false}) {
      CAPTURE(comes_back);
      HostPeers hosts({.iterations = "20", .failure = dropping.failure, .on_loopback = true});
      const std::vector<std::string> wait{"--wait", comes_back ? "1 min" : "1 s"};
      for (const std::size_t id : {0, 1, 2}) hosts.start(id, wait);
      const fs::path threads = "/proc/" + std::to_string(hosts.peer(0).process()) + "/task";
      const auto is_up = [&] { return std::distance(fs::directory_iterator(threads), {}) > 1; };
      REQUIRE(hosts.peer(0).wait_until(is_up));  // its observer has a thread of its own
      hosts.kill_peer(0);
      hosts.start(3, wait);
      if (comes_back) {
        hosts.start(0, wait);
        for (const std::size_t id : {0, 1, 2, 3}) hosts.check_that_it_ends_well(id);
        CHECK(record_of(hosts.output(0)).summary["dropped"].empty());
        continue;
      }
      for (const std::size_t id : {1, 2, 3}) {
        CHECK(hosts.peer(id).wait() == 3);
        CHECK_MESSAGE(contains(hosts.peer(id).complained(), " within 1 s\n"), hosts.peer(id).complained());
      }
    }
  }

  TEST_CASE("faults, drop: where peer 0 is killed with the observer, each host goes on and keeps its model") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(0);
    for (const std::size_t id : {1, 2, 3}) check_that_it_keeps_its_own_model(hosts, id);
    CHECK_FALSE(fs::exists(hosts.output(0) / "summary.json"));
  }

  TEST_CASE("faults, drop: all hosts but one killed, the observer's first: the last one ends well") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    for (const std::size_t id : {0, 1, 2}) hosts.kill_peer(id);
    check_that_it_keeps_its_own_model(hosts, 3);
  }

  TEST_CASE("faults, drop: a host that stands still for too long is left behind, and ends when it wakes") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGSTOP);
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    check_record(hosts, {2});
    kill(hosts.peer(2).process(), SIGCONT);
    hosts.check_that_it_ends_well(2);
  }

  TEST_CASE(
      "faults, drop: a host that wakes up while the others still train is taken back, with equal replicas") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGSTOP);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());  // they do not wait any more
    kill(hosts.peer(2).process(), SIGCONT);
    for (const std::size_t id : {0, 1, 2, 3}) hosts.check_that_it_ends_well(id);
    CHECK(check_record(hosts, {}).summary["returned"] == 1);
    for (const std::size_t id : {1, 3})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "peer 2 is back at peer " + std::to_string(id)),
                    hosts.peer(id).complained());
  }

  TEST_CASE("faults, drop: a host that stands still for less is waited for, and nothing changes") {
    HostPeers hosts({.iterations = "300", .failure = "policy = \"drop\"\nlost_after = \"5 s\"\n"});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(1).process(), SIGSTOP);
    let_pass(500);
    const std::size_t standing = evaluations_in(hosts.output(0));
    let_pass(700);
    CHECK(evaluations_in(hosts.output(0)) == standing);
    kill(hosts.peer(1).process(), SIGCONT);
    CHECK(hosts.check_end().summary["dropped"].empty());
  }

  TEST_CASE("faults, drop: two hosts that cannot reach each other take their edge out, and nobody is gone") {
    if (skipped_without_namespaces("a path between two hosts that is cut")) return;
    HostPeers hosts({.iterations = "2000", .failure = dropping.failure});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.network()->set_path(1, 2, false);
    REQUIRE_MESSAGE(hosts.reaches(30), hosts.peer(0).complained());  // no peer waits any more
    for (const std::size_t id : {1, 2})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer " + std::to_string(3 - id)),
                    hosts.peer(id).complained());
    hosts.network()->set_path(1, 2, true);
    for (std::size_t id = 0; id < HostPeers::count; ++id) hosts.check_that_it_ends_well(id);
    const RunRecord record = record_of(hosts.output(0));
    CHECK(record.summary["status"] == "done");
    CHECK(record.summary["dropped"].empty());
    CHECK(record.summary["replicas_consistent"] == true);
    for (const auto& peer : record.summary["per_peer"]) CHECK(peer["iterations"] == 2000);
  }

  TEST_CASE("faults, drop: where the observer's peer stands still for too long, all end well all the same") {
    HostPeers hosts({.iterations = "1500", .failure = dropping.failure});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(0).process(), SIGSTOP);
    for (const std::size_t id : {1, 2, 3})
      REQUIRE(hosts.peer(id).wait_until(
          [&] { return contains(hosts.peer(id).complained(), "the observer, at peer 0, was lost"); }));
    kill(hosts.peer(0).process(), SIGCONT);
    for (const std::size_t id : {0, 1, 2, 3}) hosts.check_that_it_ends_well(id);
    for (const std::size_t id : {1, 3})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer 0"),
                    hosts.peer(id).complained());
    for (const std::size_t id : {1, 2, 3})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "hears the observer again"),
                    hosts.peer(id).complained());
    const RunRecord record = record_of(hosts.output(0));
    CHECK(record.summary["status"] == "done");
    CHECK(record.summary["dropped"].empty());
    CHECK(record.summary["replicas_consistent"] == true);
  }

  TEST_CASE("faults, drop: where the observer's peer stands still for so long that it is given up, all end") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(0).process(), SIGSTOP);
    for (const std::size_t id : {1, 2, 3}) check_that_it_keeps_its_own_model(hosts, id);
    kill(hosts.peer(0).process(), SIGCONT);
    const int code = hosts.peer(0).wait();
    CHECK_MESSAGE((code == 0 || code == 3), hosts.peer(0).complained());
  }

  TEST_CASE(
      "faults, drop: a cable that is pulled for too long and plugged in again keeps nobody from the end") {
    if (skipped_without_namespaces("links that go down")) return;
    HostPeers hosts({.iterations = "2000", .failure = dropping.failure});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.network()->set_link(2, false);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());  // the others do not wait any more
    hosts.network()->set_link(2, true);
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    const int code = hosts.peer(2).wait();
    CHECK_MESSAGE((code == 0 || code == 3), hosts.peer(2).complained());
    CHECK(record_of(hosts.output(0)).summary["status"] == "done");
    CHECK(record_of(hosts.output(0)).summary["replicas_consistent"] == true);
  }

  TEST_CASE("faults, drop: a host that was dropped, and is started anew, joins, and all end together") {
    HostPeers hosts({.iterations = "2000", .failure = dropping.failure});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());  // the others have gone on
    hosts.start(2);
    check_that_it_joined(hosts, 2, 2000);
    for (const std::size_t id : {1, 3})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "peer 2 is back at peer " + std::to_string(id)),
                    hosts.peer(id).complained());
    // The traffic of the killed process still counts.
    std::uint64_t before = 0;
    for (const std::string& line : record_of(hosts.output(0)).evaluations) {
      const auto evaluation = nlohmann::json::parse(line);
      CHECK(evaluation["bytes_sent"] >= before);
      before = evaluation["bytes_sent"];
    }
  }

  TEST_CASE("faults, drop: a host that goes out of service (SIGTERM) leaves at once, and the others go on") {
    HostPeers hosts({.iterations = "600", .failure = "policy = \"drop\"\nlost_after = \"20 s\"\n"});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGTERM);
    CHECK(hosts.peer(2).wait() == 130);
    CHECK_MESSAGE(contains(hosts.peer(2).complained(), "the others go on without it"),
                  hosts.peer(2).complained());
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    check_record(hosts, {2});
    for (const std::size_t id : {1, 3})  // by its word, not by its silence
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer 2"),
                    hosts.peer(id).complained());
    for (const std::size_t id : {0, 1, 3})
      CHECK_FALSE(contains(hosts.peer(id).complained(), "has said nothing"));
  }

  TEST_CASE("faults, drop: peer 0 that goes out of service (SIGTERM) ends nobody's run") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(0).process(), SIGTERM);
    CHECK(hosts.peer(0).wait() == 130);
    CHECK(record_of(hosts.output(0)).summary["status"] == "interrupted");
    for (const std::size_t id : {1, 2, 3}) check_that_it_keeps_its_own_model(hosts, id);
  }

  TEST_CASE("faults, drop: a host that was killed, and is started anew before anybody misses it, joins") {
    HostPeers hosts({.iterations = "1000", .failure = "policy = \"drop\"\nlost_after = \"20 s\"\n"});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    hosts.start(2);
    check_that_it_joined(hosts, 2, 1000);
  }

  TEST_CASE("faults, drop: a run begins without a host that joins later, and ends with it") {
    HostPeers hosts({.iterations = "1500", .failure = dropping.failure + "join_later = [3]\n"});
    for (const std::size_t id : {0, 1, 2}) hosts.start(id);
    REQUIRE_MESSAGE(hosts.reaches(10), hosts.peer(0).complained());
    hosts.start(3);
    check_that_it_joined(hosts, 3, 1500);
  }

  TEST_CASE("faults, drop: a host that joins later may be started before the others") {
    HostPeers hosts({.iterations = "1500", .failure = dropping.failure + "join_later = [3]\n"});
    hosts.start(3);
    let_pass(300);
    for (const std::size_t id : {0, 1, 2}) hosts.start(id);
    check_that_it_joined(hosts, 3, 1500);
  }

  TEST_CASE("faults, drop: peer 0 cannot join anew, and its new observer ends nobody's run") {
    HostPeers hosts({.iterations = "2000", .failure = dropping.failure});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(0);
    hosts.start(0, {"--overwrite"});
    CHECK(hosts.peer(0).wait() == 3);
    CHECK_MESSAGE(contains(hosts.peer(0).complained(), "kept the record of the run"),
                  hosts.peer(0).complained());
    for (const std::size_t id : {1, 2, 3}) check_that_it_keeps_its_own_model(hosts, id);
  }

  TEST_CASE("faults, drop: a host that is started anew cannot join a method that keeps more than a model") {
    HostPeers hosts(dropping);
    hosts.start_all({"--set", "algorithm.kind=dpsvrg", "--set", "algorithm.compressor=none"});
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());
    hosts.start(2, {"--set", "algorithm.kind=dpsvrg", "--set", "algorithm.compressor=none"});
    const int code = hosts.peer(2).wait();
    CHECK_MESSAGE((code == 2 || code == 3), hosts.peer(2).complained());
    CHECK_MESSAGE(contains(hosts.peer(2).complained(), "gone on without peer 2"), hosts.peer(2).complained());
    CHECK_MESSAGE(contains(hosts.peer(2).complained(), "dpsvrg cannot be joined"),
                  hosts.peer(2).complained());
    for (const std::size_t id : {0, 1, 3}) hosts.check_that_it_ends_well(id);
    CHECK(record_of(hosts.output(0)).summary["dropped"] == std::vector<std::size_t>{2});
  }
}

}  // namespace hearsay::test::faults_drop_hosts_test
