#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/data_files.hpp"
#include "tests/support/network_namespaces.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test {

/// `hearsay peer`, once for each of four hosts in a ring: network namespaces where this process may make
/// them, else ports of loopback. Each peer has an output directory of its own, and so its own checkpoints.
class HostPeers {
 public:
  struct Setup {
    std::string iterations = "300";
    std::string failure = "checkpoint_every = 7\n";
    /// Where the others find peer 1 and the observer, instead of where these listen; on loopback only.
    std::string address_of_1 = {};
    std::string address_of_observer = {};
    bool on_loopback = false;
  };
  HostPeers() : HostPeers(Setup{}) {}
  explicit HostPeers(const Setup& setup);

  static constexpr std::size_t count = 4;

  Program& start(std::size_t id, const std::vector<std::string>& more = {});
  void start_all(const std::vector<std::string>& more = {});
  /// kill -9, and waits until it is gone.
  void kill_peer(std::size_t id);
  Program& peer(std::size_t id) { return *peers_.at(id); }
  const NetworkNamespaces* network() const { return network_ ? &*network_ : nullptr; }

  std::filesystem::path output(std::size_t id) const { return folder_of(id) / "out"; }
  /// Waits until peer 0 has recorded so many evaluations; false where it ends before.
  bool reaches(std::size_t evaluations) const;
  /// All peers that are running end well, and the run is the undisturbed one.
  RunRecord check_end(const std::string& iterations = {}, Said said = Said::the_same);
  /// Where peer 1 and the observer listen on loopback.
  std::string bound_address_of_1() const { return bind_of_1_; }
  std::string bound_address_of_observer() const { return observer_bind_; }

 private:
  std::filesystem::path folder_of(std::size_t id) const { return folder_.path() / std::to_string(id); }

  TemporaryFolder folder_;
  std::optional<NetworkNamespaces> network_;
  std::string bind_of_1_;
  std::string observer_bind_;
  std::vector<std::unique_ptr<Program>> peers_{count};  // after the network: they end before it does
};

}  // namespace hearsay::test
