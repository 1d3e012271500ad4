#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/process/hosts_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/zmq/keys.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test {

/// A run on ports of loopback with one process for each peer, started as on several hosts.
struct LoopbackCluster {
  explicit LoopbackCluster(Experiment<float> run) : experiment(std::move(run)) {
    for (NamedPeer& peer : experiment.topology.peers) peer.address = free_address();
    experiment.topology.observer = free_address();
  }

  const std::string& address(PeerId id) const { return experiment.topology.peers[id].address; }

  /// More settings of a peer's start.
  struct Setup {
    RunSettings::Security security = {};
    RunControl control = {};
    std::function<void()> prepare = [] {};
  };

  /// Starts a peer. Peer 0 ends with the text "digests | garbage | refused" and the reason of the run; the
  /// counters are sums over all peers. Every other peer ends with its reason.
  Process start(PeerId id) { return start(id, Setup{}); }
  Process start(PeerId id, const Setup& setup) {
    return Process([&] {
      setup.prepare();
      experiment.settings.security = setup.security;  // of this process only
      try {
        const HostsPeerEnd<float> ended = run_hosts_peer(experiment, id, patience, setup.control);
        return Ended{ended.end.exit_code, ended.outcome ? text_of(*ended.outcome) : ended.end.reason};
      } catch (const Misuse& misuse) {
        return Ended{2, misuse.what()};
      }
    });
  }

  static std::string digests_of(const RunOutcome<float>& outcome) {
    std::string text;
    for (const PeerOutcome& peer : outcome.peers) text += std::to_string(peer.model_digest) + " ";
    return text;
  }

  /// Returns the digests of the same run, undisturbed.
  std::string undisturbed() const { return digests_of(simulate(experiment, Duration{0})); }

  Experiment<float> experiment;
  HostsPatience patience{std::chrono::seconds(30)};

 private:
  static std::string text_of(const RunOutcome<float>& outcome) {
    std::uint64_t garbage = 0;
    std::uint64_t refused = 0;
    for (const PeerOutcome& peer : outcome.peers) {
      garbage += peer.meters.garbage;
      refused += peer.meters.refused;
    }
    return digests_of(outcome) + "| " + std::to_string(garbage) + " | " + std::to_string(refused) +
           outcome.reason;
  }
};

/// The text of peer 0 at the end of a run, in its parts.
struct RunEnd {
  explicit RunEnd(const Ended& ended) : exit_code(ended.exit_code), text(ended.text) {
    const std::size_t first = text.find("| ");
    if (first == std::string::npos) return;
    digests = text.substr(0, first);
    garbage = std::stoull(text.substr(first + 2));
    refused = std::stoull(text.substr(text.find("| ", first + 1) + 2));
  }
  int exit_code;
  std::string text;
  std::string digests;
  std::uint64_t garbage = 0;
  std::uint64_t refused = 0;
};

/// Key files of all peers of a cluster in one folder: 0.key, 1.key, ..., and cluster.keys.
class KeyFolder {
 public:
  explicit KeyFolder(PeerId peers) : folder_("hearsay_keys_of_" + std::to_string(peers)) {
    for (PeerId id = 0; id < peers; ++id) {
      pairs_.push_back(new_key_pair());
      std::filesystem::remove(secret(id));
      write_new_key_pair(secret(id), pairs_.back());
      authorize(authorized(), {std::to_string(id), pairs_.back().public_key});
    }
  }
  std::filesystem::path secret(PeerId id) const { return folder_.path() / (std::to_string(id) + ".key"); }
  std::filesystem::path authorized() const { return folder_.path() / "cluster.keys"; }
  const KeyPair& pair(PeerId id) const { return pairs_[id]; }

  /// Returns the settings that peer `id` is started with.
  LoopbackCluster::Setup of(PeerId id) const { return {{authorized(), secret(id)}}; }

 private:
  TemporaryFolder folder_;
  std::vector<KeyPair> pairs_;
};

}  // namespace hearsay::test
