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

/// Four processes of `hearsay peer` in a ring, each on a host of its own: a network namespace if this process
/// may make one, else a port of loopback. Each peer has its own output directory, and so its own checkpoints.
class HostPeers {
 public:
  struct Setup {
    std::string iterations = "300";
    std::string data = "source = \"synthetic(samples=96, features=20, classes=3)\"\n";
    std::string failure = "checkpoint_every = 7\n";
    std::string family = "ring";
    std::string algorithm = "kind = \"dcd-psgd\"\ncompressor = \"dither(linf, levels=127, bucket=512)\"\n";
    /// Addresses at which the others look for peer 1 and the observer, instead of those where these listen.
    /// Only with `on_loopback`.
    std::string address_of_1 = {};
    std::string address_of_observer = {};
    bool on_loopback = false;
  };
  HostPeers() : HostPeers(Setup{}) {}
  explicit HostPeers(const Setup& setup);

  static constexpr std::size_t count = 4;

  Program& start(std::size_t id, const std::vector<std::string>& more = {});
  void start_all(const std::vector<std::string>& more = {});
  /// Kills the peer (SIGKILL) and waits for its end.
  void kill_peer(std::size_t id);
  Program& peer(std::size_t id) const { return *peers_.at(id); }
  const NetworkNamespaces* network() const { return network_ ? &*network_ : nullptr; }

  std::filesystem::path output(std::size_t id) const { return folder_of(id) / "out"; }
  /// Waits until peer 0 has recorded `evaluations` evaluations. False if it ends before.
  bool reaches(std::size_t evaluations) const;
  /// Waits for the end of the peer, and checks that it ends well.
  void check_that_it_ends_well(std::size_t id) const;
  /// Checks that all peers end well and that the record equals that of an undisturbed run in the simulator.
  /// Returns the record.
  RunRecord check_end(const std::string& iterations = {}, Said said = Said::the_same);
  /// The addresses at which peer 1 and the observer listen.
  std::string bound_address_of_1() const { return bind_of_1_; }
  std::string bound_address_of_observer() const { return observer_bind_; }

 private:
  std::filesystem::path folder_of(std::size_t id) const { return folder_.path() / std::to_string(id); }

  DataFolder folder_;
  std::optional<NetworkNamespaces> network_;
  std::string bind_of_1_;
  std::string observer_bind_;
  // Declared after the network, since the peers have to end before it.
  std::vector<std::unique_ptr<Program>> peers_{count};
};

}  // namespace hearsay::test
