#include <doctest/doctest.h>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test::own_name_test {

TEST_SUITE("net") {
  TEST_CASE(
      "peer, check --connect: a name that is loopback at its own home is refused, and `bind` is named") {
    if (geteuid() != 0) {
      MESSAGE("skipped: own names (only root may have an /etc/hosts of its own)");
      return;
    }
    const DataFolder folder;
    folder.write("run.toml", "model.kind = \"quadratic(50)\"\n[topology]\nfile = \"cluster.toml\"\n");
    folder.write("hosts", "127.0.0.1 localhost\n127.0.1.1 hearsay-a\n10.77.0.2 hearsay-b\n");
    const auto with_hosts = [&folder] {
      const std::filesystem::path hosts = folder.path() / "hosts";
      ensure(unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                 mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0,
             "root has an /etc/hosts of its own");
    };
    const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
      const ProgramEnd end = run_program(folder.path(), words, with_hosts);
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
}

}  // namespace hearsay::test::own_name_test
