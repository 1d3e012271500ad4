#include <doctest/doctest.h>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test::own_name_test {

namespace {

/// True, and says so, if this process cannot give a program an /etc/hosts of its own.
bool skipped_without_own_names() {
  if (geteuid() != 0) MESSAGE("skipped: own names (only root may have an /etc/hosts of its own)");
  return geteuid() != 0;
}

/// Returns a function that makes the file the /etc/hosts of the calling process.
std::function<void()> with_hosts(const std::filesystem::path& hosts) {
  return [hosts] {
    ensure(unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0,
           "root has an /etc/hosts of its own");
  };
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "peer, check --connect: a name that is loopback at its own home is refused, and `bind` is named") {
    if (skipped_without_own_names()) return;
    const DataFolder folder;
    folder.write("run.toml", "model.kind = \"quadratic(50)\"\n[topology]\nfile = \"cluster.toml\"\n");
    folder.write("hosts", "127.0.0.1 localhost\n127.0.1.1 hearsay-a\n10.77.0.2 hearsay-b\n");
    const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
      const ProgramEnd end = run_program(folder.path(), words, with_hosts(folder.path() / "hosts"));
      CHECK(end.code == 2);
      CHECK_MESSAGE(contains(end.complained, sentence), end.complained);
    };
    folder.write("cluster.toml",
                 "family = \"ring\"\n[[peer]]\naddress = \"tcp://hearsay-a:7000\"\n"
                 "[[peer]]\naddress = \"tcp://hearsay-b:7000\"\n");
    const std::string sentence =
        "address = \"tcp://hearsay-a:7000\": the name hearsay-a is 127.0.1.1 on this machine (see its "
        "/etc/hosts), where no other machine reaches it; expected bind = \"tcp://0.0.0.0:7000\" beside it";
    refused({"peer", "run.toml", "--id", "0"}, sentence);
    refused({"check", "run.toml", "--connect", "--id", "0"}, sentence);
    folder.write("cluster.toml",
                 "family = \"ring\"\n[[peer]]\naddress = \"tcp://hearsay-a:7000\"\nbind = \"tcp://*:7000\"\n"
                 "[[peer]]\naddress = \"tcp://hearsay-b:7000\"\n");
    refused({"peer", "run.toml", "--id", "0"}, "expected observer_bind = \"tcp://0.0.0.0:6999\" beside it");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
  }

  TEST_CASE("peer: each of several destinations may be a name with several addresses") {
    if (skipped_without_own_names()) return;
    const DataFolder folder;
    folder.write("hosts", "127.0.0.1 hearsay-b\n127.0.0.2 hearsay-b\n");
    std::string cluster = "family = \"ring\"\nobserver = \"" + free_address() + "\"\n";
    for (int id = 0; id < 3; ++id) {
      const std::string address = free_address();
      const std::string port = address.substr(address.rfind(':'));
      cluster +=
          "[[peer]]\naddress = \"tcp://hearsay-b" + port + "\"\nbind = \"tcp://127.0.0.2" + port + "\"\n";
    }
    folder.write("cluster.toml", cluster);
    folder.write("run.toml",
                 "model.kind = \"quadratic(500)\"\nrun.iterations = 20\n[topology]\nfile = "
                 "\"cluster.toml\"\n");
    std::vector<std::unique_ptr<Program>> peers;
    for (const std::string id : {"0", "1", "2"})
      peers.push_back(std::make_unique<Program>(
          folder.path(), std::vector<std::string>{"peer", "run.toml", "--id", id, "--output", "out" + id},
          Program::Output::file, with_hosts(folder.path() / "hosts")));
    for (const auto& peer : peers) CHECK_MESSAGE(peer->wait() == 0, peer->complained());
  }

  TEST_CASE(
      "peer: a host may have a name with an IPv6 address alone, and one that comes later may have both") {
    if (skipped_without_own_names()) return;
    const std::string six = "127.0.0.1 localhost\n::1 hearsay-six\n";
    for (const bool comes_later : {false, true}) {
      CAPTURE(comes_later);
      const DataFolder folder;
      folder.write("hosts", comes_later ? "127.0.0.1 localhost\n" : six);
      const auto place = [&](const std::string& key) {
        const std::string address = free_address();
        const std::string port = address.substr(address.rfind(':'));
        const std::string bind = key == "observer" ? "observer_bind" : "bind";
        return key + " = \"tcp://hearsay-six" + port + "\"\n" + bind + " = \"tcp://" +
               (comes_later ? "127.0.0.1" : "[::1]") + port + "\"\n";
      };
      folder.write("cluster.toml", "family = \"ring\"\n" + place("observer") + "[[peer]]\n" +
                                       place("address") + "[[peer]]\n" + place("address"));
      folder.write("run.toml",
                   "model.kind = \"quadratic(500)\"\nrun.iterations = 20\n[topology]\nfile = "
                   "\"cluster.toml\"\n");
      std::vector<std::unique_ptr<Program>> peers;
      for (const std::string id : {"0", "1"})
        peers.push_back(std::make_unique<Program>(
            folder.path(), std::vector<std::string>{"peer", "run.toml", "--id", id, "--output", "out" + id},
            Program::Output::file, with_hosts(folder.path() / "hosts")));
      if (comes_later) {
        CHECK(peers[0]->wait_until([&] { return contains(peers[0]->complained(), "to come up"); }));
        std::ofstream(folder.path() / "hosts") << six << "127.0.0.1 hearsay-six\n";  // the file of both
      }
      for (const auto& peer : peers) CHECK_MESSAGE(peer->wait() == 0, peer->complained());
    }
  }

  TEST_CASE("peer: of a name with several addresses each is dialed, until its peer answers at one") {
    if (skipped_without_own_names()) return;
    // Where the peer listens; the system puts 127.0.0.1, where it does not, first.
    for (const std::string host : {"127.0.0.2", "[::1]"}) {
      CAPTURE(host);
      const DataFolder folder;
      const std::string first = free_address();
      const std::string second = free_address();
      const std::string port = second.substr(second.rfind(':'));
      const std::string bare = host == "[::1]" ? "::1" : host;
      folder.write("hosts", "127.0.0.1 hearsay-b\n" + bare + " hearsay-b\n");
      folder.write("cluster.toml", "family = \"ring\"\nobserver = \"" + free_address() +
                                       "\"\n[[peer]]\naddress = \"" + first + "\"\n[[peer]]\naddress = \"" +
                                       "tcp://hearsay-b" + port + "\"\nbind = \"tcp://" + host + port +
                                       "\"\n");
      folder.write("run.toml",
                   "model.kind = \"quadratic(50000)\"\nrun.iterations = 100\nnetwork.compute = \"10 ms\"\n"
                   "failure.checkpoint_every = 20\n[topology]\nfile = \"cluster.toml\"\n");
      const auto start = [&](const std::string& id) {
        return std::make_unique<Program>(
            folder.path(), std::vector<std::string>{"peer", "run.toml", "--id", id, "--output", "out" + id},
            Program::Output::file, with_hosts(folder.path() / "hosts"));
      };
      const auto one = start("0");
      // It has dialed all addresses several times by then.
      CHECK(one->wait_until([&] { return contains(one->complained(), "to come up"); }));
      const auto two = start("1");
      CHECK_MESSAGE(one->wait() == 0, one->complained());
      CHECK_MESSAGE(two->wait() == 0, two->complained());
      // Once an address has answered, it is kept: no message has to be sent twice.
      const std::string summary = content_of(folder.path() / "out0/summary.json");
      CHECK(contains(summary, "\"retransmitted\": 0"));
    }
  }
}

}  // namespace hearsay::test::own_name_test
