#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/program/ssh_hosts.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test {

constexpr std::size_t host_count = 3;

/// Three hosts, and a folder at the desk with the run file and the topology file of a run on them.
struct Cluster {
  SshHosts hosts{host_count};
  DataFolder folder;

  explicit Cluster(const std::string& length = "iterations = 60\n") {
    folder.write("run.toml", "[run]\nname = \"o'er \\\"the\\\" $hills\"\noutput = \"out\"\n" + length +
                                 "[data]\nsource = \"synthetic(samples=96, features=20, classes=3)\"\n"
                                 "[topology]\nfile = \"cluster.toml\"\n");
    write_cluster();
  }

  /// Returns the directory of a host, whose name breaks a shell that does not quote it.
  std::string directory(std::size_t host) const {
    return (folder.path() / ("it's; $(false) \"" + std::to_string(host + 1) + "\"")).string();
  }

  void write_cluster(const std::string& key = {}, const std::string& program = HEARSAY_PROGRAM) const {
    std::string directories = (folder.path() / "it's; $(false) \\\"[1-3]\\\"").string();
    folder.write("cluster.toml", "family = \"ring\"\n[launch]\nuser = \"nobody\"\nssh_key = \"" +
                                     (key.empty() ? hosts.key() : key) + "\"\nssh_config = \"" +
                                     hosts.config() + "\"\nprogram = \"" + program +
                                     "\"\n[[peer]]\nname = \"n[1-3]\"\nhost = \"root@10.77.0.[1-3]\"\n"
                                     "address = \"tcp://10.77.0.[1-3]:7000\"\ndirectory = \"" +
                                     directories + "\"\n");
  }

  std::unique_ptr<Program> launch(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"launch", "run.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<Program>(folder.path(), arguments, Program::Output::file,
                                     hosts.network().enter(hosts.desk()));
  }

  std::vector<pid_t> peers() {
    std::vector<pid_t> all;
    for (std::size_t host = 0; host < host_count; ++host)
      for (const pid_t process : hosts.network().processes(host, "hearsay")) all.push_back(process);
    return all;
  }

  /// Waits until all peers train, and returns their processes.
  std::vector<pid_t> wait_for_training(const Program& launcher) {
    REQUIRE_MESSAGE(launcher.wait_until([&] { return contains(launcher.complained(), " loss "); }),
                    launcher.complained());
    const std::vector<pid_t> processes = peers();
    REQUIRE(processes.size() == host_count);
    return processes;
  }

  nlohmann::json summary() const {
    return nlohmann::json::parse(content_of(folder.path() / "out/summary.json"));
  }
};

}  // namespace hearsay::test
