#include <doctest/doctest.h>
#include <signal.h>

#include "tests/support/host_peers.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"

// Policy "drop" on several hosts, where nothing but silence tells that a peer is gone.

using namespace hearsay;
using namespace hearsay::test;

namespace fs = std::filesystem;

namespace {

const HostPeers::Setup dropping = {.iterations = "600",
                                   .failure = "policy = \"drop\"\nlost_after = \"1 s\"\n"};

void check_that_it_ends_well(HostPeers& hosts, std::size_t id) {
  const int code = hosts.peer(id).wait();
  CAPTURE(id);
  CHECK_MESSAGE(code == 0, hosts.peer(id).complained());
}

/// The run of peer 0's record ended well without these.
RunRecord check_record(const HostPeers& hosts, const std::vector<std::size_t>& dropped) {
  const RunRecord record = record_of(hosts.output(0));
  CHECK(record.summary["status"] == "done");
  CHECK(record.summary["dropped"] == dropped);
  CHECK(record.summary["replicas_consistent"] == true);
  CHECK(record.summary["iterations"] == 600);
  return record;
}

void check_that_it_keeps_its_own_model(HostPeers& hosts, std::size_t id) {
  check_that_it_ends_well(hosts, id);
  CHECK(fs::exists(hosts.output(id) / ("model-" + std::to_string(id) + ".npy")));
  CHECK_MESSAGE(contains(hosts.peer(id).complained(), "each keeps its own model"),
                hosts.peer(id).complained());
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults, drop: hosts go on without a peer that was killed on its host") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    for (const std::size_t id : {0, 1, 3}) check_that_it_ends_well(hosts, id);
    check_record(hosts, {2});
    for (const std::size_t id : {1, 3})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer 2"),
                    hosts.peer(id).complained());
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
    for (const std::size_t id : {0, 1, 3}) check_that_it_ends_well(hosts, id);
    check_record(hosts, {2});
    kill(hosts.peer(2).process(), SIGCONT);
    check_that_it_ends_well(hosts, 2);
  }

  TEST_CASE(
      "faults, drop: a host that wakes up while the others still train is taken back, with equal replicas") {
    HostPeers hosts(dropping);
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGSTOP);
    REQUIRE_MESSAGE(hosts.reaches(20), hosts.peer(0).complained());  // they do not wait any more
    kill(hosts.peer(2).process(), SIGCONT);
    for (const std::size_t id : {0, 1, 2, 3}) check_that_it_ends_well(hosts, id);
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
    REQUIRE_MESSAGE(hosts.reaches(30), hosts.peer(0).complained());  // nobody waits any more
    for (const std::size_t id : {1, 2})
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "goes on without peer " + std::to_string(3 - id)),
                    hosts.peer(id).complained());
    hosts.network()->set_path(1, 2, true);
    for (std::size_t id = 0; id < HostPeers::count; ++id) check_that_it_ends_well(hosts, id);
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
    for (const std::size_t id : {0, 1, 2, 3}) check_that_it_ends_well(hosts, id);
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
    for (const std::size_t id : {0, 1, 3}) check_that_it_ends_well(hosts, id);
    const int code = hosts.peer(2).wait();
    CHECK_MESSAGE((code == 0 || code == 3), hosts.peer(2).complained());
    CHECK(record_of(hosts.output(0)).summary["status"] == "done");
    CHECK(record_of(hosts.output(0)).summary["replicas_consistent"] == true);
  }
}
