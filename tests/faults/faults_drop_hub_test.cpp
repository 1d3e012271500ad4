#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/faults/host_peers.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_drop_hub_test {

// Policy "drop" with a hub and workers, each on a host of its own.

namespace {

HostPeers::Setup star(const std::string& iterations, const std::string& lost_after) {
  return {.iterations = iterations,
          .failure = "policy = \"drop\"\nlost_after = \"" + lost_after + "\"\n",
          .family = "star",
          .algorithm = "kind = \"fed-avg\"\nlocal_steps = 2\n"};
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults, drop: where the hub is killed on its host, every worker ends with 3 and names it") {
    HostPeers hosts(star("600", "1 s"));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(0);
    for (const std::size_t id : {1, 2, 3}) {
      CHECK(hosts.peer(id).wait() == 3);
      const std::string words = hosts.peer(id).complained();
      CHECK_MESSAGE(contains(words, "the hub, peer 0, was lost: it has said nothing for"), words);
    }
  }

  TEST_CASE("faults, drop: a hub that goes out of service (SIGTERM) ends the run everywhere") {
    HostPeers hosts(star("600", "20 s"));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(0).process(), SIGTERM);
    for (const std::size_t id : {0, 1, 2, 3}) CHECK(hosts.peer(id).wait() == 130);
    CHECK(record_of(hosts.output(0)).summary["status"] == "interrupted");
  }

  TEST_CASE("faults, drop: of a worker that goes out of service (SIGTERM) the hub says that it has left") {
    HostPeers hosts(star("600", "20 s"));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGTERM);
    CHECK(hosts.peer(2).wait() == 130);
    for (const std::size_t id : {0, 1, 3})
      CHECK_MESSAGE(hosts.peer(id).wait() == 0, hosts.peer(id).complained());
    const std::string words = hosts.peer(0).complained();
    CHECK_MESSAGE(contains(words, "peer 0 goes on without peer 2"), words);
    CHECK_MESSAGE(contains(words, "has left"), words);
    CHECK_FALSE(contains(words, "takes this peer for gone"));
  }

  TEST_CASE("faults, drop: a worker that was killed, and is started anew, joins with the hub's model") {
    HostPeers hosts(star("1500", "1 s"));
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    hosts.kill_peer(2);
    REQUIRE(hosts.peer(0).wait_until(
        [&] { return contains(hosts.peer(0).complained(), "goes on without peer 2"); }));
    hosts.start(2);
    for (const std::size_t id : {0, 1, 2, 3})
      CHECK_MESSAGE(hosts.peer(id).wait() == 0, hosts.peer(id).complained());
    const RunRecord record = record_of(hosts.output(0));
    CHECK(record.summary["joined"] == std::vector<std::size_t>{2});
    CHECK(record.summary["dropped"].empty());
    CHECK_MESSAGE(contains(hosts.peer(2).complained(), "with the model of peer 0"),
                  hosts.peer(2).complained());
  }
}

}  // namespace hearsay::test::faults_drop_hub_test
