#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <algorithm>

#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/program/addressed_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"
#include "tests/support/strangers.hpp"

namespace hearsay::test::peer_program_test {

namespace {

const std::string endless = "[run]\niterations = 1000000\n[network]\ncompute = \"10 ms\"\n";

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "peer: the environment says who a peer is and where all listen, in Kubernetes' words and in Slurm's") {
    const AddressedPeers desk("[run]\niterations = 30\n");
    const auto third = desk.peer(2, set("HEARSAY_ID", "hearsay-2"));
    const auto second = desk.peer(1, set("SLURM_PROCID", "1"));
    // The command line takes precedence over the environment.
    const auto first = desk.peer(0, set("HEARSAY_ID", "2"),
                                 {"--id", "0", "--output", (desk.folder.path() / "out").string()});
    for (const auto* peer : {&first, &second, &third})
      CHECK_MESSAGE((*peer)->wait() == 0, (*peer)->complained());
    REQUIRE(run_program(desk.folder.path(), {"simulate", "run.toml", "--output", "sim"}).code == 0);
    CHECK(content_of(desk.folder.path() / "out/model.npy") ==
          content_of(desk.folder.path() / "sim/model.npy"));
  }

  TEST_CASE("peer: a port in use is the only thing that is said, by a peer and by check --connect") {
    const AddressedPeers desk("[run]\niterations = 30\n");
    const OccupiedPort other(desk.places[1]);
    const auto in_use = [](const std::string& said) {
      CHECK_MESSAGE(contains(said,
                             "cannot listen there (Address already in use); expected a port at which no "
                             "other program listens"),
                    said);
      CHECK_MESSAGE(std::ranges::count(said, '\n') == 1, said);
    };
    const auto peer = desk.numbered(1);
    CHECK(peer->wait() == 2);
    in_use(peer->complained());
    Program check(desk.folder.path(), {"check", "run.toml", "--connect", "--id", "1"}, Program::Output::file,
                  [&desk] {
                    setenv("HEARSAY_ADDRESSES", desk.addresses.c_str(), 1);
                    setenv("HEARSAY_OBSERVER", desk.observer.c_str(), 1);
                  });
    CHECK(check.wait() == 2);
    in_use(check.complained());
  }

  TEST_CASE("peer: hosts with different builds of hearsay do not train together, unless the run permits it") {
    for (const std::string builds : {"same", "any"}) {
      CAPTURE(builds);
      const AddressedPeers desk("[run]\niterations = 30\nbuilds = \"" + builds + "\"\n");
      const std::string other = desk.folder.path() / "other";
      std::string program = content_of(HEARSAY_PROGRAM);
      const std::string version = " (commit ";
      std::size_t at = program.find(version);
      REQUIRE(at != program.npos);
      program[at - 1] = program[at - 1] == '9' ? '8' : '9';  // of 0.1.0
      desk.folder.write("other", program);
      std::filesystem::permissions(other, std::filesystem::perms::owner_all);
      const std::string run = desk.folder.path() / "run.toml", output = desk.output(2);
      const auto first = desk.numbered(0), second = desk.numbered(1);
      const auto third = desk.numbered(2, {}, [&] {
        execl(other.c_str(), "hearsay", "peer", run.c_str(), "--id", "2", "--output", output.c_str(),
              nullptr);
      });
      const int expected = builds == "any" ? 0 : 2;
      for (const auto* peer : {&first, &second, &third})
        CHECK_MESSAGE((*peer)->wait() == expected, (*peer)->complained());
      const std::string said = first->complained();
      if (builds == "any")
        CHECK_MESSAGE(contains(said, "the peers are different builds of hearsay: "), said);
      else
        CHECK_MESSAGE(contains(said, "expected one build on all hosts, or run.builds = \"any\""), said);
    }
  }

  TEST_CASE("peer: without an id, or with a wrong one, it says what is missing") {
    const AddressedPeers desk("");
    const auto complaint = [&](const std::function<void()>& prepare, std::vector<std::string> more = {}) {
      const auto peer = desk.peer(0, prepare, std::move(more));
      CHECK(peer->wait() == 2);
      return peer->complained();
    };
    CHECK(contains(complaint([] {}),
                   "--id is missing; expected the peer of the topology that this is, 0 to 2"));
    CHECK(contains(complaint([] {}, {"--id", "3"}), "--id = 3: the topology has peers 0 to 2"));
    CHECK(contains(complaint(set("HEARSAY_ID", "pod-7")),
                   "HEARSAY_ID = \"pod-7\": expected a peer's id, 0 to 2"));
    CHECK(contains(complaint([] {}, {"--id", "2", "--live"}),
                   "--live = peer 2: only peer 0, where all evaluations arrive, can show the run"));
    CHECK(contains(complaint(set("HEARSAY_ADDRESSES", "tcp://a:1"), {"--id", "0"}), "expected 3 addresses"));
  }

  TEST_CASE("peer: with --ends-with-input the run ends in good order when the input does") {
    const AddressedPeers desk(endless);
    std::array<int, 2> input{};
    REQUIRE(pipe2(input.data(), O_CLOEXEC) == 0);
    const std::string output = desk.folder.path() / "out";
    const auto first = desk.peer(0, [&] { dup2(input[0], STDIN_FILENO); },
                                 {"--id", "0", "--ends-with-input", "--output", output});
    const auto second = desk.peer(1, [] {}, {"--id", "1"});
    const auto third = desk.peer(2, [] {}, {"--id", "2"});
    close(input[0]);
    REQUIRE(first->wait_until([&] { return std::filesystem::exists(output + "/metrics.jsonl"); }));
    close(input[1]);
    CHECK(first->wait() == 130);
    CHECK(second->wait() == 130);
    CHECK(third->wait() == 130);
    CHECK(contains(content_of(output + "/summary.json"), "\"interrupted\""));
  }

  TEST_CASE(
      "launch: peers without a host are processes of this machine, and end with a launcher that is killed") {
    const DataFolder folder;
    const auto address = [] { return "[[peer]]\naddress = \"" + free_address() + "\"\n"; };
    const std::string topology = "observer = \"" + free_address() + "\"\nfamily = \"ring\"\n";
    folder.write("cluster.toml", topology + address() + address() + address());
    const std::string run = small_data + "[topology]\nfile = \"cluster.toml\"\n";
    folder.write("run.toml", "[run]\niterations = 20\noutput = \"out\"\n" + run);
    const ProgramEnd end = run_program(folder.path(), {"launch", "run.toml", "--json"});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    CHECK(contains(end.said, "\"status\":\"done\""));
    CHECK(contains(end.complained, "2: hearsay: peer 2 of 3"));
    CHECK(std::filesystem::exists(folder.path() / "out/peer-2.log"));
    REQUIRE(run_program(folder.path(), {"simulate", "run.toml", "--output", "sim"}).code == 0);
    CHECK(content_of(folder.path() / "out/model.npy") == content_of(folder.path() / "sim/model.npy"));

    folder.write("run.toml", endless + run);
    Program launcher(folder.path(), {"launch", "run.toml"});
    REQUIRE(launcher.wait_until([&] { return contains(launcher.complained(), " loss "); }));
    CHECK(launcher.children().size() == 3);
    kill(launcher.process(), SIGKILL);
    CHECK(launcher.wait() == -SIGKILL);
    CHECK(launcher.everyone_ended());
  }

  TEST_CASE("launch: a peer that joins later is left to the user, and who was not there was not lost") {
    const DataFolder folder;
    const auto address = [] { return "[[peer]]\naddress = \"" + free_address() + "\"\n"; };
    const std::string topology = "observer = \"" + free_address() + "\"\nfamily = \"complete\"\n";
    folder.write("cluster.toml", topology + address() + address() + address() + address());
    folder.write("run.toml", "[run]\niterations = 20\noutput = \"out\"\n" + small_data +
                                 "[topology]\nfile = \"cluster.toml\"\n"
                                 "[failure]\npolicy = \"drop\"\njoin_later = [1]\n");
    const ProgramEnd end = run_program(folder.path(), {"launch", "run.toml", "--json"});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    CHECK_MESSAGE(contains(end.complained, "peer 1 is left to you: it joins later"), end.complained);
    CHECK(contains(end.said, "\"dropped\":[]"));
    CHECK(contains(content_of(folder.path() / "out/peer-2.log"), "hearsay: peer 2 of 4"));
    CHECK(contains(content_of(folder.path() / "out/peer-3.log"), "hearsay: peer 3 of 4"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out/peer-1.log"));
    const auto summary = nlohmann::json::parse(content_of(folder.path() / "out/summary.json"));
    CHECK(summary["model_digest"][0].is_string());
    CHECK(summary["model_digest"][1].is_null());
  }

  TEST_CASE("launch: what it needs of the topology file is said before anything starts") {
    const DataFolder folder;
    folder.write("run.toml",
                 "[topology]\nfile = \"cluster.toml\"\n[data]\nsource = \"libsvm:$NOT_SET_HERE/a9a\"\n");
    folder.write("none.toml", "");
    const auto complaint = [&](const std::string& cluster, const std::string& file = "run.toml") {
      folder.write("cluster.toml", cluster);
      const ProgramEnd end = run_program(folder.path(), {"launch", file});
      CHECK(end.code == 2);
      return end.complained;
    };
    CHECK(contains(complaint("", "none.toml"), "topology.file is missing: hearsay launch starts the peers"));
    CHECK(contains(complaint("family = \"ring\"\npeers = 3\n"), "peer 0 has no address"));
    folder.write("ipc.toml", "topology.file = \"cluster.toml\"\nnetwork.transport = \"ipc\"\n");
    CHECK(contains(complaint("peers = 1\n[[peer]]\naddress = \"" + free_address() + "\"\n", "ipc.toml"),
                   "network.transport = ipc: hearsay launch connects its peers by TCP"));
    // The peers read the data, so the missing variable is their error.
    const std::string peer = "peers = 1\n[[peer]]\naddress = \"" + free_address() + "\"\n";
    CHECK(contains(complaint(peer), "the environment variable NOT_SET_HERE to be set"));
    CHECK(contains(
        complaint(
            "[launch]\nssh_config = \"nowhere\"\n[[peer]]\nhost = \"node1\"\naddress = \"tcp://h:1\"\n"),
        "hearsay: peer 0 (node1): Can't open user config file"));
  }
}

}  // namespace hearsay::test::peer_program_test
