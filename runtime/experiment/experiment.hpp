#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/objectives/home.hpp"
#include "algorithms/objectives/problem.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/stable_consensus_step.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/peer/checkpoint_rule.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/peer_state.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// A run, resolved and checked: everything that a driver needs to start peers, independent of the driver.
template <class Scalar>
struct Experiment {
  RunSettings settings;  ///< with compressor and the topology file's peers and links filled in
  Problem<Scalar> problem;
  NamedTopology topology;
  std::shared_ptr<const Schedule> schedule;
  const MethodInfo* method = nullptr;
  StepSize step_size{0.1, "constant", 0};
  std::uint64_t iterations = 0;
  /// The method tolerates compressors of a relative variance below this; if known.
  std::optional<double> omega_limit = {};
  std::optional<ConsensusStepLimit> consensus_step_limit = {};  ///< if known
  double rho = 0.0;  ///< of W, if the method reads it (gossip = "chebyshev"); else 0
  std::vector<std::string> warnings =
      {};  ///< what is doubtful, but does not stop the run (`check_soundness`)
  /// A color per peer if the method is asynchronous, else empty. While a peer awaits a reply, it defers the
  /// requests of neighbors of larger color, and refuses those of smaller color (exchanges.hpp).
  std::vector<std::uint32_t> colors = {};
  /// Which build of hearsay this process is, which hosts compare (run.builds); empty: it is not compared.
  std::string build = {};

  PeerId peer_count() const { return schedule->peer_count(); }
  /// True if what a peer does depends on when messages come. If not, a seed gives the same bits on every
  /// network.
  bool depends_on_arrivals() const {
    return method->asynchronous || settings.topology.rounds_close() || !settings.faults.empty();
  }
};

/// Loads the data or starts the programs, builds problem, topology and schedule, and checks that the method
/// can run on them. Throws Misuse if it cannot, and for wrong settings.
template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, const Home& home = {});

/// The same for the caller's own problem, which replaces [data] and [model]; run.scalar becomes the
/// problem's. Throws Misuse, too, unless the problem has one objective per peer.
template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, Problem<Scalar> problem);

/// Returns when peers make checkpoints, as [failure] says.
CheckpointRule checkpoint_rule(const RunSettings& settings);

/// Returns peer `id` of the experiment. Experiment and pool must outlive the peer.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer(const Experiment<Scalar>& experiment, PeerId id, PacketPool& packets,
                                        CheckpointRule checkpoints = {});

/// The same with methods that the caller makes. The standby of a hub asks for the hub's, too.
template <class Scalar>
using MakeMethod = std::function<std::unique_ptr<Algorithm<Scalar>>(PeerId)>;
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer_with(const Experiment<Scalar>& experiment, PeerId id,
                                             PacketPool& packets, const MakeMethod<Scalar>& method_of);

/// Returns peer `id` for joining a run that has gone on without it (joining.hpp). The peer starts from
/// `model`, a neighbor's.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_joining_peer(const Experiment<Scalar>& experiment, PeerId id,
                                                PacketPool& packets, const EntryPoint& entry,
                                                const Vector<Scalar>& model);

/// True if every iteration takes a part of each peer, and the run goes on without one that is lost: the peers
/// that are left agree on who they are (runtime/membership).
template <class Scalar>
bool members_agree(const Experiment<Scalar>& experiment) {
  return experiment.settings.failure.drops() && experiment.method->membership == Membership::by_agreement;
}

/// Returns peer `id` of a run whose `members`, ascending ids, have agreed on who they are. To its method the
/// members are peers 0, 1, ... in this order. Experiment and pool must outlive the peer.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_member_peer(const Experiment<Scalar>& experiment,
                                               const std::vector<PeerId>& members, PeerId id,
                                               PacketPool& packets);

/// Returns the size of a model in bytes if peers may join the run later; else empty. A hub with a standby
/// takes nobody back: the two would have to do so in the same round.
template <class Scalar>
std::optional<std::size_t> model_bytes_of(const Experiment<Scalar>& experiment) {
  const RunSettings::Failure& failure = experiment.settings.failure;
  if (!failure.drops() || failure.hub_standby || !experiment.method->may_be_joined) return std::nullopt;
  return static_cast<std::size_t>(experiment.problem.dimension()) * sizeof(Scalar);
}

/// Returns who talks to whom, by the method and its options.
template <class Scalar>
const Pattern& pattern_of(const Experiment<Scalar>& experiment) {
  return pattern_of(*experiment.method, experiment.settings.algorithm.options);
}

/// Returns whom peer `id` hears and whom it sends to, by the method's pattern. The standby of a hub and the
/// other workers are partners, too. So are all peers if the members of the run agree on who they are.
template <class Scalar>
Partners partners_of(const Experiment<Scalar>& experiment, PeerId id);

/// Returns the most iterations that one peer can be ahead of another, since it waits for messages. Returns
/// nothing if the method's pattern sets no such bound.
template <class Scalar>
std::optional<std::uint64_t> lead_by_messages(const Experiment<Scalar>& experiment);

/// Returns the most iterations that one peer can be ahead of another, by the method's pattern. It is at most
/// 2 run.evaluate_every, because peers wait for verdicts; if that is a time, the whole run.
template <class Scalar>
std::uint64_t largest_lead(const Experiment<Scalar>& experiment);

}  // namespace hearsay
