#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <deque>

#include "tests/program/addressed_peers.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/strangers.hpp"

namespace hearsay::test::cluster_start_test {

TEST_SUITE("net") {
  TEST_CASE(
      "start: a second process under a peer's id is refused by name, and the run is the undisturbed one") {
    const AddressedPeers desk("[run]\niterations = 30\n");
    const auto first = desk.numbered(0);
    const auto second = desk.numbered(1);
    // Two peers are up and wait for the third.
    REQUIRE(second->wait_until([&] { return AddressedPeers::connections_to(desk.observer) >= 2; }));
    const auto too_many =
        desk.peer(3, set("HEARSAY_ADDRESSES", desk.places[0] + "," + free_address() + "," + desk.places[2]),
                  {"--id", "1", "--output", desk.output(3)});
    CHECK(too_many->wait() == 2);
    CHECK_MESSAGE(contains(too_many->complained(), "two processes claim to be peer 1: the one at 127.0.0.1"),
                  too_many->complained());
    const auto third = desk.numbered(2);
    for (const auto* peer : {&first, &second, &third})
      CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->complained());
    REQUIRE(run_program(desk.folder.path(), {"simulate", "run.toml", "--output", "sim"}).code == 0);
    CHECK(content_of(desk.output(0) + "/model.npy") == content_of(desk.folder.path() / "sim/model.npy"));
  }

  TEST_CASE(
      "start: where peer 0 has nothing to go on with, --resume ends everywhere, and says so of peer 0") {
    const AddressedPeers desk("[run]\niterations = 30\n[failure]\ncheckpoint_every = 7\n");
    const auto run_all = [&](const std::vector<std::string>& more) {
      std::vector<std::unique_ptr<Program>> peers;
      for (std::size_t id = 0; id < 3; ++id) peers.push_back(desk.numbered(id, more));
      return peers;
    };
    for (const auto& peer : run_all({})) REQUIRE_MESSAGE(peer->wait() == 0, peer->complained());
    std::filesystem::remove(desk.output(0) + "/metrics.jsonl");
    const std::string missing =
        desk.output(0) + "/metrics.jsonl: it is gone, and the run wrote it; expected ";
    const auto peers = run_all({"--resume", "--wait", "1 h"});  // no peer waits that long
    for (const auto& peer : peers) {
      CHECK(peer->wait() == 2);
      CHECK_MESSAGE(contains(peer->complained(), missing), peer->complained());
      CHECK(contains(peer->complained(), "peer 0 cannot go on with the run"));
    }
  }

  TEST_CASE("start: --resume with another run.iterations than peer 0's is refused at once, in both values") {
    const AddressedPeers desk("[run]\niterations = 30\n[failure]\ncheckpoint_every = 7\n");
    std::vector<std::unique_ptr<Program>> peers;
    for (std::size_t id = 0; id < 3; ++id) peers.push_back(desk.numbered(id));
    for (const auto& peer : peers) REQUIRE_MESSAGE(peer->wait() == 0, peer->complained());
    const auto resume = [&](std::size_t id, const std::string& iterations) {
      return desk.numbered(id, {"--resume", "--wait", "1 h", "--set", "run.iterations=" + iterations});
    };
    const auto first = resume(0, "60"), second = resume(1, "60");
    for (const std::string iterations : {"30", "90"}) {
      const auto third = resume(2, iterations);
      CHECK(third->wait() == 2);
      CHECK_MESSAGE(contains(third->complained(), "peer 0 runs 60 iterations, peer 2 " + iterations),
                    third->complained());
    }
    // The others still wait for a peer that fits.
    const auto third = resume(2, "60");
    for (const auto* peer : {&first, &second, &third})
      CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->complained());
  }

  TEST_CASE("start: --resume names the damaged checkpoints that it passes over, and from where all go on") {
    const AddressedPeers desk("[run]\niterations = 30\n[failure]\ncheckpoint_every = 7\n");
    std::vector<std::unique_ptr<Program>> peers;
    for (std::size_t id = 0; id < 3; ++id) peers.push_back(desk.numbered(id));
    for (const auto& peer : peers) REQUIRE_MESSAGE(peer->wait() == 0, peer->complained());
    const std::string damaged = desk.output(1) + "/checkpoints/checkpoint-1-000000000030";
    REQUIRE(std::filesystem::exists(damaged));
    std::filesystem::resize_file(damaged, 200);
    for (std::size_t id = 0; id < 3; ++id)
      peers[id] = desk.numbered(id, {"--resume", "--set", "run.iterations=60"});
    for (const auto& peer : peers) CHECK_MESSAGE(peer->wait() == 0, peer->complained());
    CHECK_MESSAGE(contains(peers[1]->complained(), "hearsay: peer 1 passes over a checkpoint: cannot use " +
                                                       damaged + ": it is damaged"),
                  peers[1]->complained());
    const std::string from = peers[0]->complained();
    CHECK_MESSAGE(
        contains(from, "hearsay: all peers go on from iteration 28: peer 1 holds no later checkpoint"), from);
  }

  TEST_CASE("start: where addresses are swapped, or the observer's is wrong, it is said who answers there") {
    const AddressedPeers desk("[failure]\nlost_after = \"2 s\"\n");
    const std::vector<std::string> briefly = {"--wait", "5 s"};
    const auto all_end = [&](std::size_t odd_one, const std::string& variable, const std::string& value) {
      std::vector<std::unique_ptr<Program>> peers;
      for (std::size_t id = 0; id < 3; ++id)
        peers.push_back(desk.numbered(
            id, briefly, id == odd_one ? set(variable, value) : [] {}));
      for (const auto& peer : peers) CHECK(peer->wait() == 3);
      return std::pair(peers[0]->complained(), peers[odd_one]->complained());
    };
    const std::string swapped = desk.places[0] + "," + desk.places[2] + "," + desk.places[1];
    const std::string at_first = all_end(0, "HEARSAY_ADDRESSES", swapped).first;
    CHECK_MESSAGE(contains(at_first, "peer 1 (" + desk.places[2] + ")"), at_first);
    CHECK_MESSAGE(contains(at_first, "but peer 2 answers there"), at_first);
    // By a name that it is not known by.
    const std::string elsewhere = "tcp://localhost" + desk.places[1].substr(desk.places[1].rfind(':'));
    const auto said = all_end(2, "HEARSAY_OBSERVER", elsewhere);
    CHECK_MESSAGE(contains(said.first, "peer 2 (" + desk.places[2] + ") did not come up within 5 s"),
                  said.first);
    CHECK_MESSAGE(contains(said.second, "the observer (" + elsewhere + "), peer 1 answers"), said.second);
  }

  TEST_CASE("start: idle connections by the thousand keep no neighbor out of a peer whose ulimit -n is 64") {
    constexpr rlim_t needed = 2500;
    rlimit own{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &own) == 0);
    REQUIRE(own.rlim_max >= needed);
    const auto with_limit = [&](rlim_t soft) {
      return [soft, hard = own.rlim_max] {
        const rlimit limit{soft, hard};
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(127);
      };
    };
    const AddressedPeers desk("[run]\niterations = 30\n");
    const auto first = desk.numbered(0);
    const auto second = desk.numbered(1, {"--wait", "1 h"}, with_limit(64));
    REQUIRE(second->wait_until([&] { return Stranger(desk.places[1]).connected(); }));
    with_limit(needed)();
    std::deque<Stranger> crowd;
    for (int k = 0; k < 2000; ++k) CHECK(crowd.emplace_back(desk.places[1]).connected());
    const auto third = desk.numbered(2);
    for (const auto* peer : {&first, &second, &third})
      CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->complained());
    with_limit(own.rlim_cur)();
  }
}

}  // namespace hearsay::test::cluster_start_test
