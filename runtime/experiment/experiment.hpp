#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "algorithms/seam/method.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// From which algorithm.consensus_step on a method is predicted to diverge; 0 if it does at every one.
struct ConsensusStepLimit {
  double typical;               ///< if what is compressed looks Gaussian
  std::optional<double> worst;  ///< whatever it looks like; nothing if the compressor promises nothing
};

/// A run, resolved and checked: everything a driver needs to start peers, and nothing that depends on the
/// driver.
template <class Scalar>
struct Experiment {
  RunSettings settings;  ///< with compressor and the topology file's peers and links filled in
  Problem<Scalar> problem;
  Cluster cluster;
  std::shared_ptr<const Schedule> schedule;
  const MethodInfo* method = nullptr;
  StepSize step_size{0.1, "constant", 0};
  std::uint64_t iterations = 0;
  std::optional<double>
      omega_limit;  ///< what the method tolerates of its compressor here, where that is known
  std::optional<ConsensusStepLimit> consensus_step_limit;  ///< where that is known
  double rho = 0.0;                   ///< of W, where the method needs to know it (gossip = "chebyshev")
  std::vector<std::string> warnings;  ///< sound enough to run, but doubtful (`check_soundness`)
  /// Of the peers, where the method is asynchronous: those of larger color are patient with neighbors of
  /// smaller color.
  std::vector<std::uint32_t> colors;

  PeerId peer_count() const { return schedule->peer_count(); }
};

/// The settings with what the topology file says of peers and links filled in.
RunSettings resolved(RunSettings settings, const Cluster& cluster);

/// Loads the data, builds problem, topology and schedule, and checks that the method may run on them. Throws
/// Misuse.
template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings);

/// The same for a problem of the caller's own ([data] and [model] of the settings are not read; nor is
/// run.scalar, the problem's own is taken).
template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, Problem<Scalar> problem);

/// When peers of a run keep checkpoints, as [failure] says.
CheckpointRule checkpoint_rule(const RunSettings& settings);

/// Peer `id` of the experiment, which must outlive it; so must the pool.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer(const Experiment<Scalar>& experiment, PeerId id, PacketPool& packets,
                                        CheckpointRule checkpoints = {});

/// The same, of a method that the caller has made.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer_with(const Experiment<Scalar>& experiment, PeerId id,
                                             PacketPool& packets,
                                             std::unique_ptr<Algorithm<Scalar>> algorithm);

/// Peer `id`, which joins a run that has gone on without it (joining.hpp), with a neighbor's model as its
/// own.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_joining_peer(const Experiment<Scalar>& experiment, PeerId id,
                                                PacketPool& packets, const EntryPoint& entry,
                                                const Vector<Scalar>& model);

/// The bytes of a model, if peers that the run has gone on without may join it; else nothing.
template <class Scalar>
std::optional<std::size_t> model_bytes_of(const Experiment<Scalar>& experiment) {
  if (!experiment.settings.failure.drops() || !experiment.method->may_be_joined) return std::nullopt;
  return static_cast<std::size_t>(experiment.problem.dimension()) * sizeof(Scalar);
}

/// Of peer `id`, as the method's pattern says.
template <class Scalar>
Partners partners_of(const Experiment<Scalar>& experiment, PeerId id);

/// The most iterations that one peer can be ahead of another, by the method's pattern; in any case the
/// verdicts hold it back.
template <class Scalar>
std::uint64_t largest_lead(const Experiment<Scalar>& experiment);

}  // namespace hearsay
