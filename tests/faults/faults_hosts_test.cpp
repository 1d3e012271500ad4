#include <doctest/doctest.h>
#include <signal.h>

#include "tests/faults/host_peers.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"

namespace hearsay::test::faults_hosts_test {

namespace fs = std::filesystem;

namespace {

/// Checks that the run stands still while the fault lasts.
void check_that_it_stands(const HostPeers& hosts, int milliseconds) {
  let_pass(300);  // what was on its way has arrived
  const std::size_t standing = evaluations_in(hosts.output(0));
  let_pass(milliseconds);
  CHECK(evaluations_in(hosts.output(0)) == standing);
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults: a killed peer of a run on several hosts is waited for, comes back and changes no bit") {
    HostPeers hosts;
    hosts.start_all();
    for (const std::size_t victim : {2, 1, 2}) {
      REQUIRE_MESSAGE(hosts.reaches(victim == 2 ? 4 : 10), hosts.peer(0).complained());
      hosts.kill_peer(victim);
      hosts.start(victim, {"--resume"});
    }
    const RunRecord record = hosts.check_end();
    CHECK(record.total("retransmitted") > 0);
  }

  TEST_CASE("faults: the first peer, killed with the observer, comes back, and its record goes on") {
    HostPeers hosts;
    hosts.start_all();
    for (const std::size_t evaluations : {4, 12}) {
      REQUIRE_MESSAGE(hosts.reaches(evaluations), hosts.peer(0).complained());
      hosts.kill_peer(0);
      hosts.start(0, {"--resume"});
    }
    hosts.check_end();
  }

  TEST_CASE(
      "faults: a peer whose host goes out of service (SIGTERM) is waited for, comes back and changes no "
      "bit") {
    HostPeers hosts;
    hosts.start_all();
    for (const std::size_t leaver : {2, 0}) {
      REQUIRE_MESSAGE(hosts.reaches(leaver == 2 ? 4 : 12), hosts.peer(0).complained());
      kill(hosts.peer(leaver).process(), SIGTERM);
      CHECK(hosts.peer(leaver).wait() == 130);
      CHECK_MESSAGE(contains(hosts.peer(leaver).complained(), "started again with --resume") == (leaver == 2),
                    hosts.peer(leaver).complained());
      hosts.start(leaver, {"--resume"});
    }
    hosts.check_end();
  }

  TEST_CASE("faults: without checkpoints a peer that is told to end (SIGTERM) ends the run everywhere") {
    HostPeers hosts({.failure = ""});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGTERM);
    for (std::size_t id = 0; id < HostPeers::count; ++id) CHECK(hosts.peer(id).wait() == 130);
    CHECK(record_of(hosts.output(0)).summary["status"] == "interrupted");
  }

  TEST_CASE(
      "faults: a peer that is told to end (SIGTERM) before the run begins ends it everywhere, by name") {
    for (const std::string failure : {"", "checkpoint_every = 7\n", "policy = \"drop\"\n"})
      for (const std::size_t leaver : {2, 0}) {
        CAPTURE(failure);
        CAPTURE(leaver);
        HostPeers hosts({.failure = failure});
        for (const std::size_t id : {0, 1, 2}) hosts.start(id, {"--wait", "1 h"});  // nobody waits that long
        // Peer 1 has heard both of its neighbors, and the observer has heard all three.
        REQUIRE(hosts.peer(1).wait_until(
            [&] { return contains(hosts.peer(1).complained(), "peer 3 has not come up"); }));
        kill(hosts.peer(leaver).process(), SIGTERM);
        for (const std::size_t id : {0, 1, 2}) {
          CHECK(hosts.peer(id).wait() == 130);
          CHECK_MESSAGE(contains(hosts.peer(id).complained(),
                                 "peer " + std::to_string(leaver) + " was interrupted before the run began"),
                        hosts.peer(id).complained());
        }
        CHECK_FALSE(fs::exists(hosts.output(0) / "summary.json"));  // there is nothing to record
      }
  }

  TEST_CASE(
      "faults: a peer that goes out of service while it waits to resume is waited for, and changes no bit") {
    HostPeers hosts;
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(0).process(), SIGSTOP);  // so nobody tells peer 2 from where to go on
    hosts.kill_peer(2);
    Program& early = hosts.start(2, {"--resume"});
    REQUIRE(early.wait_until([&] { return contains(early.complained(), "peer 2 waits for the observer"); }));
    kill(early.process(), SIGTERM);
    CHECK(early.wait() == 130);
    CHECK_MESSAGE(contains(early.complained(), "started again with --resume"), early.complained());
    kill(hosts.peer(0).process(), SIGCONT);
    hosts.start(2, {"--resume"});
    hosts.check_end();
  }

  TEST_CASE("faults: all peers killed and started anew on several hosts end with the same bits") {
    HostPeers hosts;
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(8), hosts.peer(0).complained());
    for (std::size_t id = 0; id < HostPeers::count; ++id) hosts.kill_peer(id);
    hosts.start_all({"--resume"});
    hosts.check_end();
  }

  TEST_CASE("faults: a peer started anew without --resume is refused, disturbs nobody, and may then resume") {
    HostPeers hosts;
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(6), hosts.peer(0).complained());
    hosts.kill_peer(2);
    Program& stranger = hosts.start(2);
    CHECK(stranger.wait() == 2);
    CHECK_MESSAGE(contains(stranger.complained(), "--resume"), stranger.complained());
    hosts.start(2, {"--resume"});
    hosts.check_end();
  }

  TEST_CASE("faults: a run that has ended on several hosts is extended, with the bits of a longer one") {
    HostPeers hosts;
    hosts.start_all({"--set", "run.iterations=120"});
    for (std::size_t id = 0; id < HostPeers::count; ++id) CHECK(hosts.peer(id).wait() == 0);
    hosts.start_all({"--resume"});
    hosts.check_end();
  }

  TEST_CASE("faults: a peer that lost its checkpoints cannot rejoin, nor all resume, and both say so") {
    HostPeers hosts;
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(6), hosts.peer(0).complained());
    hosts.kill_peer(3);
    fs::remove_all(hosts.output(3));
    Program& poor = hosts.start(3, {"--resume"});
    CHECK(poor.wait() == 2);
    CHECK_MESSAGE(contains(poor.complained(), "keeps its messages from iteration"), poor.complained());
    // The others wait for peer 3. There is no state that all hold, and a run is not thrown away unasked.
    for (std::size_t id = 0; id < 3; ++id) hosts.kill_peer(id);
    hosts.start_all({"--resume"});
    for (std::size_t id = 0; id < HostPeers::count; ++id) {
      CHECK(hosts.peer(id).wait() == 2);
      const std::string complained = hosts.peer(id).complained();
      CHECK_MESSAGE(contains(complained, "(peer 3 holds none, others up to "), complained);
    }
  }

  TEST_CASE("faults: a peer that stands still for less than failure.lost_after holds the run up, no more") {
    HostPeers hosts({.failure = "checkpoint_every = 7\nlost_after = \"3 s\"\n"});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(1).process(), SIGSTOP);
    check_that_it_stands(hosts, 1200);
    kill(hosts.peer(1).process(), SIGCONT);
    hosts.check_end();
  }

  TEST_CASE("faults: a peer that stands still for longer is named, and the others end with exit code 3") {
    HostPeers hosts({.failure = "checkpoint_every = 7\nlost_after = \"1 s\"\n"});
    hosts.start_all();
    REQUIRE_MESSAGE(hosts.reaches(4), hosts.peer(0).complained());
    kill(hosts.peer(2).process(), SIGSTOP);
    for (const std::size_t id : {0, 1, 3}) {
      CHECK(hosts.peer(id).wait() == 3);
      CHECK_MESSAGE(contains(hosts.peer(id).complained(), "peer 2 was lost"), hosts.peer(id).complained());
    }
    kill(hosts.peer(2).process(), SIGCONT);
    CHECK(hosts.peer(2).wait() == 3);
    // Nothing is lost: all go on from their checkpoints.
    hosts.start_all({"--resume"});
    hosts.check_end();
  }

  TEST_CASE("faults: a cable that is pulled for two seconds holds the run up, no more") {
    if (skipped_without_namespaces("links that go down")) return;
    HostPeers hosts({.failure = "checkpoint_every = 7\nlost_after = \"20 s\"\n"});
    hosts.start_all();
    for (const std::size_t host : {2, 0}) {
      REQUIRE_MESSAGE(hosts.reaches(host == 2 ? 4 : 12), hosts.peer(0).complained());
      hosts.network()->set_link(host, false);
      check_that_it_stands(hosts, 1000);
      hosts.network()->set_link(host, true);
    }
    hosts.check_end();
  }

  TEST_CASE("faults: TCP connections that are killed are made again, and nothing is lost with them") {
    if (skipped_without_namespaces("connections that are killed")) return;
    HostPeers hosts({.failure = "checkpoint_every = 7\nlost_after = \"5 s\"\n"});
    hosts.start_all();
    int killed = 0;
    for (const std::size_t host : {1, 0, 3, 2}) {
      REQUIRE_MESSAGE(hosts.reaches(4 + 3 * static_cast<std::size_t>(killed > 0)),
                      hosts.peer(0).complained());
      const Ended ended = Process([&] {
                            hosts.network()->enter(host)();
                            std::string said(4096, ' ');
                            FILE* const ss = popen("ss -K -n -t state established 2>/dev/null", "r");
                            said.resize(fread(said.data(), 1, said.size(), ss));
                            return Ended{pclose(ss), said};
                          }).join();
      CHECK(ended.exit_code == 0);
      for (std::size_t at = 0; (at = ended.text.find("10.77.0.", at)) != std::string::npos; ++at) ++killed;
    }
    CHECK(killed >= 8);
    hosts.check_end();
  }
}

}  // namespace hearsay::test::faults_hosts_test
