#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/seam/method.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/memory_need.hpp"
#include "runtime/experiment/quickest_reduce.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/record/hub_port.hpp"
#include "runtime/record/kept_models.hpp"
#include "tools/check/dry_run.hpp"
#include "tools/check/rate_line.hpp"
#include "topology/hub_rounds.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

/// All that `hearsay check` prints: what the run file says, and what follows from it.
struct Plan {
  RunSettings settings;  ///< resolved
  const MethodInfo* method;
  Traits traits;
  std::uint64_t dimension = 0;
  std::uint64_t iterations = 0;
  PeerId peers = 0;
  Transport transport = Transport::tcp;  ///< of hearsay run
  std::string weights;
  std::optional<std::uint64_t> period = 1;
  std::optional<Spectrum> spectrum;  ///< empty unless W is fixed, averages, and the method reads it
  std::optional<double> omega_limit;
  std::optional<ConsensusStepLimit> consensus_step_limit;
  std::optional<ReduceTimes> reduce_times;  ///< of an iteration; empty unless it reads algorithm.reduce
  bool catches_up = false;                  ///< links change, so replicas catch up whenever two peers meet
  std::uint64_t gradient_table_bytes = 0;   ///< over all peers
  /// Who is linked with the hub, and with how many workers below it; empty without a hub.
  std::map<PeerId, std::uint64_t> groups;
  PeerId answering = 0;    ///< with a hub: how many answer in a round, the hub's own data counted
  ProcessBytes processes;  ///< their memory, samples apart
  TrafficForecast traffic;
  DryRun dry_run;
  std::optional<RateLine> rate_line;
  std::vector<std::string> warnings;

  double bits_per_coordinate() const {
    return 8.0 * static_cast<double>(traits.bytes) / static_cast<double>(dimension);
  }
  /// Bits per coordinate in the messages of the dry run. Less than the figure above if sizes depend on the
  /// data.
  double predicted_bits_per_coordinate() const { return dry_run.payload_share * bits_per_coordinate(); }
  /// Bytes that each peer sends, averaged over the iterations. An upper bound if sizes depend on the data.
  std::vector<double> bytes_per_iteration() const {
    std::vector<double> bytes;
    for (const PeerTraffic& peer : traffic.peers)
      bytes.push_back(static_cast<double>(peer.bytes) / static_cast<double>(iterations));
    return bytes;
  }
  /// The same for messages as long as those of the dry run.
  std::vector<double> predicted_bytes_per_iteration() const {
    std::vector<double> bytes = dry_run.peer_bytes;
    for (double& of_peer : bytes) of_peer /= static_cast<double>(iterations);
    return bytes;
  }
  /// Bytes and messages of an iteration from the hub to its workers, and from them, predicted.
  PortTraffic to_workers() const { return per_iteration(sent_by(hub_id)); }
  PortTraffic from_workers() const {
    PortTraffic sum;
    for (const auto& [peer, below] : groups) {
      if (below > 0) continue;
      PortTraffic sent = sent_by(peer);
      const bool half_is_copies = settings.failure.hub_standby && settings.failure.hub_standby != peer;
      if (half_is_copies) sent = {sent.bytes / 2, sent.messages / 2};
      sum.bytes += sent.bytes;
      sum.messages += sent.messages;
    }
    // The head of a group answers in every iteration, in as many bytes as a worker.
    PortTraffic of_workers;
    for (PeerId id = hub_id + 1; id < peers; ++id) {
      if (groups.contains(id) && groups.at(id) > 0) continue;
      of_workers.bytes += sent_by(id).bytes;
      of_workers.messages += sent_by(id).messages;
    }
    for (const auto& [peer, below] : groups) {
      if (below == 0) continue;
      sum.bytes += static_cast<double>(iterations) * of_workers.bytes / of_workers.messages;
      sum.messages += static_cast<double>(iterations);
    }
    return per_iteration(sum);
  }
  /// Bytes of the copies that the standby of the hub gets in an iteration, predicted.
  double copied_bytes() const {
    double bytes = 0.0;
    for (const auto& [peer, below] : groups)
      if (settings.failure.hub_standby != peer) bytes += per_iteration(sent_by(peer)).bytes / 2;
    return bytes;
  }
  /// Bytes that run.keep_models takes on the disk, if the run does not end early.
  double kept_model_bytes() const {
    const RunSettings::Run& run = settings.run;
    return static_cast<double>(size_in_bytes(run.scalar)) * static_cast<double>(dimension) *
           static_cast<double>(kept_iterations(run.keep_models, iterations)) *
           (run.keep_models.of_peers ? static_cast<double>(peers) : 1.0);
  }
  double predicted_bytes() const {
    return std::accumulate(dry_run.peer_bytes.begin(), dry_run.peer_bytes.end(), 0.0);
  }
  /// Bits that a peer sends for every parameter and local gradient, predicted: its bytes of an iteration over
  /// d parameters and its gradients, those of R minibatches counted apart, averaged over the peers with data.
  double predicted_bits_per_parameter_and_gradient() const {
    const MethodOptions& options = settings.algorithm.options;
    const auto workers = static_cast<double>(settings.topology.workers());
    const double share =
        groups.empty() ? settings.topology.participation : static_cast<double>(answering) / workers;
    const double gradients = share * static_cast<double>(iterations) *
                             mean_local_steps(options, settings.topology.workers()) *
                             static_cast<double>(options.find(option::rounds).value_or(1));
    return 8.0 * predicted_bytes() / (workers * static_cast<double>(dimension) * gradients);
  }

 private:
  /// Returns what a peer sends in the whole run, predicted.
  PortTraffic sent_by(PeerId id) const {
    return {dry_run.peer_bytes[id], static_cast<double>(traffic.peers[id].messages)};
  }
  PortTraffic per_iteration(const PortTraffic& of_run) const {
    const auto count = static_cast<double>(iterations);
    return {of_run.bytes / count, of_run.messages / count};
  }
};

/// Returns the plan of a run in float or double. Throws Misuse if the run is refused.
template <class Scalar>
Plan plan_of(const RunSettings& settings);

}  // namespace hearsay
