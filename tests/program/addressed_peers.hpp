#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/data_files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test {

inline const std::string small_data = "[data]\nsource = \"synthetic(samples=96, features=20, classes=3)\"\n";

/// Starts `hearsay peer` for three peers in a ring on ports of loopback. The environment gives their
/// addresses; each peer has a folder for its standard output and error.
struct AddressedPeers {
  DataFolder folder;
  std::array<DataFolder, 4> of_peer;  ///< the fourth is for a superfluous peer
  std::array<std::string, 3> places{free_address(), free_address(), free_address()};
  std::string addresses = places[0] + "," + places[1] + "," + places[2];
  std::string observer = free_address();

  explicit AddressedPeers(const std::string& run) {
    folder.write("run.toml", run + small_data + "[topology]\npeers = 3\n");
  }

  std::unique_ptr<Program> peer(std::size_t id, const std::function<void()>& prepare,
                                std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"peer", folder.path() / "run.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<Program>(of_peer[id].path(), arguments, Program::Output::file, [this, prepare] {
      setenv("HEARSAY_ADDRESSES", addresses.c_str(), 1);
      setenv("HEARSAY_OBSERVER", observer.c_str(), 1);
      prepare();
    });
  }
  /// Starts peer `id` with its id and output directory on the command line.
  std::unique_ptr<Program> numbered(
      std::size_t id, const std::vector<std::string>& more = {},
      const std::function<void()>& prepare = [] {}) const {
    std::vector<std::string> words = {"--id", std::to_string(id), "--output", output(id)};
    words.insert(words.end(), more.begin(), more.end());
    return peer(id, prepare, std::move(words));
  }
  /// Returns the number of established TCP connections to the address.
  static std::size_t connections_to(const std::string& address) {
    std::ifstream lines("/proc/net/tcp");
    const auto port = static_cast<unsigned>(std::stoi(address.substr(address.rfind(':') + 1)));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
      unsigned remote = 0, state = 0;
      if (std::sscanf(line.c_str(), " %*d: %*x:%*x %*x:%x %x", &remote, &state) == 2)
        count += remote == port && state == 1;
    }
    return count;
  }
  std::string output(std::size_t id) const { return of_peer[id].path() / "out"; }
};

inline std::function<void()> set(const std::string& name, const std::string& value) {
  return [=] { setenv(name.c_str(), value.c_str(), 1); };
}

}  // namespace hearsay::test
