#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::check_connect_test {

using Json = nlohmann::ordered_json;

namespace {

/// Three peers in a ring, each a neighbor of both others, and a folder for the output of each.
struct Desk {
  DataFolder folder;
  std::array<DataFolder, 3> of_peer;
  std::array<std::string, 3> addresses = {free_address(), free_address(), free_address()};
  std::string observer = free_address();

  Desk() {
    folder.write("run.toml",
                 "model.kind = \"quadratic(50)\"\nalgorithm.batch = \"full\"\ntopology.peers = 3\n");
  }

  std::unique_ptr<Program> check(std::size_t id, std::vector<std::string> more = {},
                                 const std::string& command = "check") const {
    return check_with(id, addresses, std::move(more), command);
  }
  std::unique_ptr<Program> check_with(std::size_t id, const std::array<std::string, 3>& known,
                                      std::vector<std::string> more = {},
                                      const std::string& command = "check") const {
    std::vector<std::string> arguments = {command, folder.path() / "run.toml", "--id", std::to_string(id)};
    if (command == "check") arguments.insert(arguments.end(), {"--connect", "--json"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<Program>(of_peer[id].path(), arguments, Program::Output::file, [this, known] {
      setenv("HEARSAY_ADDRESSES", (known[0] + "," + known[1] + "," + known[2]).c_str(), 1);
      setenv("HEARSAY_OBSERVER", observer.c_str(), 1);
    });
  }
};

/// Returns the record of one edge in the JSON of a peer.
Json edge(const Program& peer, const std::string& neighbor) {
  const Json record = Json::parse(peer.said(), nullptr, false);
  REQUIRE_MESSAGE(record.is_object(), peer.complained());
  for (const Json& candidate : record["edges"])
    if (candidate["neighbor"] == neighbor) return candidate;
  FAIL("no such edge");
  return {};
}

bool works(const Json& edge) { return edge["out"] != Json(false) && edge["in"] != Json(false); }

const std::vector<std::string> some_time = {"--wait", "6 s"};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("check --connect: peers that come up in any order find all their edges working") {
    const Desk desk;
    const auto third = desk.check(2);
    const auto first = desk.check(0);
    const auto second = desk.check(1);
    for (const auto* peer : {&first, &second, &third}) {
      CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->said());
      const Json record = Json::parse((*peer)->said());
      CHECK(record["works"] == true);
      for (const Json& each : record["edges"]) CHECK(each["wrong"].is_null());
    }
    CHECK(edge(*first, "peer 1")["round_trip_seconds"]["min"] > 0.0);
    CHECK(edge(*first, "all peers")["in"] == true);
    CHECK(edge(*second, "observer")["out"] == true);
    CHECK(edge(*second, "observer")["in"].is_null());
  }

  TEST_CASE("check --connect: a peer that is missing is named, and the edges between the others work") {
    const Desk desk;
    const auto first = desk.check(0, some_time);
    const auto second = desk.check(1, some_time);
    CHECK(first->wait() == 2);
    CHECK(second->wait() == 2);
    CHECK(contains(edge(*first, "peer 2")["wrong"], "connection refused: nobody listens there"));
    CHECK(contains(edge(*second, "peer 2")["wrong"], "connection refused: nobody listens there"));
    CHECK(works(edge(*first, "peer 1")));
    CHECK(works(edge(*second, "peer 0")));
    CHECK(edge(*first, "all peers")["wrong"] == "did not reach the observer here: peer 2");
    CHECK(contains(second->complained(), "peer 1: 1 connection of 3 does not work"));
  }

  TEST_CASE(
      "check --connect: a wrong port is found at the peer that has it, and missed by the one it is of") {
    const Desk desk;
    std::array<std::string, 3> wrong = desk.addresses;
    wrong[1] = free_address();
    const auto first = desk.check_with(0, wrong, some_time);
    const auto second = desk.check(1, some_time);
    const auto third = desk.check(2, some_time);
    CHECK(first->wait() == 2);
    CHECK(second->wait() == 2);
    CHECK_MESSAGE(third->wait() == 0, third->said());
    const Json there = edge(*first, "peer 1");
    CHECK(there["address"] == wrong[1]);
    CHECK(there["out"] == false);
    CHECK(there["in"] == true);
    CHECK(contains(there["wrong"], "connection refused"));
    CHECK(contains(there["wrong"], "it does reach this peer"));
    const Json back = edge(*second, "peer 0");
    CHECK(back["out"] == true);
    CHECK(back["in"] == false);
    CHECK(contains(back["wrong"], "it does not reach this peer at " + desk.addresses[1]));
  }

  TEST_CASE("check --connect: swapped addresses are called so, and unknown names unknown") {
    const Desk desk;
    std::array<std::string, 3> wrong = {desk.addresses[0], desk.addresses[2],
                                        "tcp://no-such-host.invalid:7000"};
    const auto first = desk.check_with(0, wrong, some_time);
    const auto third = desk.check(2, some_time);
    CHECK(first->wait() == 2);
    CHECK(third->wait() == 2);
    CHECK(edge(*first, "peer 1")["wrong"] == "peer 2 listens there, not peer 1");
    CHECK(contains(edge(*first, "peer 2")["wrong"], "the name no-such-host.invalid is not known here"));
  }

  TEST_CASE("check --connect: another seed is named at both ends, at once, and the others' edges work") {
    const Desk desk;
    const auto first = desk.check(0);
    const auto second = desk.check(1);
    const auto third = desk.check(2, {"--set", "run.seed=5"});
    for (const auto* peer : {&first, &second, &third}) CHECK((*peer)->wait() == 2);
    CHECK(edge(*first, "peer 2")["wrong"] == "peer 2 runs with run.seed = 5, peer 0 with 1");
    CHECK(edge(*third, "peer 0")["wrong"] == "peer 0 runs with run.seed = 1, peer 2 with 5");
    CHECK(edge(*third, "observer")["wrong"] == "peer 0 runs with run.seed = 1, peer 2 with 5");
    CHECK(edge(*first, "all peers")["wrong"] == "peer 2 runs with run.seed = 5, peer 0 with 1");
    CHECK(works(edge(*second, "peer 0")));
  }

  TEST_CASE("check --connect: with keys all works, and a key that is not authorized is named at both ends") {
    const Desk desk;
    const auto& folder = desk.folder.path();
    for (const char* id : {"0", "1", "2", "new-2"})
      REQUIRE(run_program(folder, {"keys", "new", id}).code == 0);
    for (const char* id : {"0", "1", "2"}) {
      REQUIRE(run_program(folder, {"keys", "authorize", "cluster.keys", id, std::string(id) + ".key"}).code ==
              0);
      REQUIRE(run_program(folder, {"keys", "authorize", "of-2.keys", id,
                                   (id == std::string("2") ? "new-2" : std::string(id)) + ".key"})
                  .code == 0);
    }
    const auto with = [&](std::size_t id, const std::string& authorized, const std::string& secret,
                          std::vector<std::string> more = {}) {
      more.insert(more.end(), {"--set", "security.authorized=" + (folder / authorized).string(), "--set",
                               "security.secret=" + (folder / secret).string()});
      return desk.check(id, std::move(more));
    };
    {
      const auto first = with(0, "cluster.keys", "0.key");
      const auto second = with(1, "cluster.keys", "1.key");
      const auto third = with(2, "cluster.keys", "2.key");
      for (const auto* peer : {&first, &second, &third}) CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->said());
    }
    // Peer 2 has a new key, which the others do not know.
    const auto first = with(0, "cluster.keys", "0.key", some_time);
    const auto second = with(1, "cluster.keys", "1.key", some_time);
    const auto third = with(2, "of-2.keys", "new-2.key", some_time);
    for (const auto* peer : {&first, &second, &third}) CHECK((*peer)->wait() == 2);
    CHECK(contains(edge(*third, "peer 0")["wrong"], "refuses this peer's key"));
    CHECK(contains(edge(*first, "peer 2")["wrong"],
                   "or another one than the file of security.authorized says"));
    CHECK(contains(first->complained(), "nobody is authorized with the key"));
    CHECK(works(edge(*second, "peer 0")));
  }

  TEST_CASE("check --connect: it disturbs no run that is under way, and says that one is") {
    const Desk desk;
    const std::string output = desk.folder.path() / "out";
    const auto first = desk.check(0, {"--output", output, "--quiet"}, "peer");
    const auto second = desk.check(1, {"--quiet"}, "peer");
    const auto checks = desk.check(2, some_time);
    CHECK(checks->wait() == 2);
    CHECK(contains(edge(*checks, "peer 0")["wrong"], "a run is under way there"));
    const auto third = desk.check(2, {"--quiet"}, "peer");
    for (const auto* peer : {&first, &second, &third})
      CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->complained());
  }
}

TEST_CASE("check --connect: --id and --wait are its own, and a peer says which it is") {
  const DataFolder folder;
  folder.write("q.toml", "model.kind = \"quadratic(50)\"\nalgorithm.batch = \"full\"\n");
  CHECK(contains(run_program(folder.path(), {"check", "q.toml", "--id", "1"}).complained, "--connect"));
  const ProgramEnd no_id = run_program(folder.path(), {"check", "q.toml", "--connect"});
  CHECK(no_id.code == 2);
  CHECK(contains(no_id.complained, "--id is missing"));
  const ProgramEnd no_address = run_program(folder.path(), {"check", "q.toml", "--connect", "--id", "1"});
  CHECK(no_address.code == 2);
  CHECK(contains(no_address.complained, "hearsay: peer 0 has no address"));
}

}  // namespace hearsay::test::check_connect_test
