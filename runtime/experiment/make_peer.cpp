#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/make_method.hpp"
#include "runtime/peer/peer.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/hub_rounds.hpp"

// The peers of an experiment.

namespace hearsay {

/// Returns how weights change under the policy "drop"; empty under another policy. Metropolis weights are
/// computed from degrees, so they are computed anew when degrees change.
template <class Scalar>
std::optional<WeightsFollow> weights_follow(const Experiment<Scalar>& experiment) {
  if (!experiment.settings.failure.drops() || members_agree(experiment)) return std::nullopt;
  if (!experiment.method->pattern.reads_weights) return WeightsFollow::unread;
  return experiment.topology.weights == "metropolis" ? WeightsFollow::degrees : WeightsFollow::their_own;
}

template <class Scalar>
Partners mixing_partners(const Experiment<Scalar>& experiment, PeerId id) {
  Partners partners;
  if (experiment.method->pattern.uses_graph)
    partners = pattern_of(experiment).partners(id, *experiment.schedule);
  if (experiment.schedule->period() == 1) partners.destinations.clear();
  return partners;
}

namespace {

/// `initial` and `segments` must outlive it.
template <class Scalar>
MethodInput<Scalar> method_input(const Experiment<Scalar>& experiment, PeerId id,
                                 const Vector<Scalar>& initial, Partners partners,
                                 const SegmentTable& segments) {
  const RunSettings& settings = experiment.settings;
  return {.self = id,
          .peer_count = experiment.peer_count(),
          .worker_count = settings.topology.workers(),
          .initial = initial,
          .neighbors = std::move(partners.sources),
          .has_groups = experiment.method->pattern.has_hub &&
                        experiment.topology.graph.degree(hub_id) + 1 < experiment.peer_count(),
          .links_vary = experiment.schedule->period() != 1,
          .peers_may_leave = settings.failure.drops(),
          .hearers = std::move(partners.destinations),
          .compressor = settings.algorithm.compressor,
          .segments = segments,
          .options = settings.algorithm.options,
          .seed = settings.run.seed,
          .rho = experiment.rho,
          .regularizer = experiment.problem.regularizer.get()};
}

}  // namespace

template <class Scalar>
std::unique_ptr<Algorithm<Scalar>> make_method(const Experiment<Scalar>& experiment, PeerId id,
                                               const Vector<Scalar>& initial, Partners partners,
                                               const SegmentTable& segments) {
  return experiment.method->make(method_input(experiment, id, initial, std::move(partners), segments));
}

namespace {

/// A schedule for a method that does not read it: all of so many peers take part in every round.
std::shared_ptr<const Schedule> full_schedule(PeerId peer_count) {
  const Graph unread(peer_count, {});
  return make_schedule("static", unread, MixingMatrix(peer_count, {}), 0);
}

/// Settings of peers that come back or come late.
struct PeerReturns {
  CheckpointRule checkpoints = {};
  std::optional<EntryPoint> joins_at = {};
};

template <class Scalar>
std::uint64_t minibatches_per_iteration(const Experiment<Scalar>& experiment, PeerId id) {
  const MethodOptions& options = experiment.settings.algorithm.options;
  return local_steps_of(options, id, experiment.peer_count(), experiment.settings.topology.workers()) *
         options.find(option::rounds).value_or(1);
}

/// Returns what peer `id` is made from, its method apart.
template <class Scalar>
PeerInput<Scalar> input_of(const Experiment<Scalar>& experiment, PeerId id, PacketPool& packets,
                           Partners partners, const PeerReturns& returns) {
  const RunSettings& settings = experiment.settings;
  std::vector<PeerId> patient_neighbors;
  if (experiment.method->asynchronous)
    for (const PeerId neighbor : partners.sources)
      if (experiment.colors[neighbor] > experiment.colors[id]) patient_neighbors.push_back(neighbor);
  return {.id = id,
          .algorithm = {},
          .objective = experiment.problem.objectives[id].get(),
          .schedule = experiment.schedule,
          .hearers = std::move(partners.destinations),
          .step_size = experiment.step_size,
          .seed = settings.run.seed,
          .may_sit_out = !experiment.method->counts_rounds,
          .minibatches = {.size = settings.algorithm.batch,
                          .shuffled = settings.data.order == RunSettings::Data::Order::shuffled,
                          .per_iteration = minibatches_per_iteration(experiment, id)},
          .clip = settings.algorithm.clip,
          .iterations = experiment.iterations,
          .evaluate_every = settings.run.evaluate_every,
          .packets = &packets,
          .patient_neighbors = std::move(patient_neighbors),
          .checkpoints = returns.checkpoints,
          .evaluates_as_announced = settings.run.evaluates_by_time(),
          .staleness = staleness_of(settings),
          .weights_follow = weights_follow(experiment),
          .rounds_close = settings.topology.rounds_close(),
          .edges_return = experiment.method->membership == Membership::exact && !settings.failure.hub_standby,
          .hub = experiment.method->pattern.has_hub ? std::optional(hub_id) : std::nullopt,
          .absent = settings.failure.join_later,
          .joins_at = returns.joins_at};
}

template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer_of(const Experiment<Scalar>& experiment, PeerId id,
                                           PacketPool& packets, const MakeMethod<Scalar>& method_of,
                                           const PeerReturns& returns) {
  PeerInput<Scalar> input = input_of(experiment, id, packets, mixing_partners(experiment, id), returns);
  input.algorithm = method_of(id);
  input.standby = experiment.settings.failure.hub_standby;
  if (input.standby == id) {
    PeerInput<Scalar> hub = input_of(experiment, hub_id, packets, mixing_partners(experiment, hub_id), {});
    hub.algorithm = method_of(hub_id);
    input.standby_hub =
        std::make_unique<StandbyHub<Scalar>>(std::make_unique<Peer<Scalar>>(std::move(hub)), id);
  }
  return std::make_unique<Peer<Scalar>>(std::move(input));
}

template <class Scalar>
MakeMethod<Scalar> methods_from(const Experiment<Scalar>& experiment, const Vector<Scalar>& model) {
  return [&](PeerId id) {
    return make_method(experiment, id, model, mixing_partners(experiment, id),
                       experiment.problem.objectives[id]->segments());
  };
}

}  // namespace

CheckpointRule checkpoint_rule(const RunSettings& settings) {
  return {.every = settings.failure.checkpoint_every,
          .as_announced = settings.failure.checkpoint_period != Duration{0}};
}

template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer(const Experiment<Scalar>& experiment, PeerId id, PacketPool& packets,
                                        CheckpointRule checkpoints) {
  return make_peer_of(experiment, id, packets, methods_from(experiment, experiment.problem.initial),
                      {.checkpoints = checkpoints});
}

template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer_with(const Experiment<Scalar>& experiment, PeerId id,
                                             PacketPool& packets, const MakeMethod<Scalar>& method_of) {
  return make_peer_of(experiment, id, packets, method_of, {});
}

template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_joining_peer(const Experiment<Scalar>& experiment, PeerId id,
                                                PacketPool& packets, const EntryPoint& entry,
                                                const Vector<Scalar>& model) {
  return make_peer_of(experiment, id, packets, methods_from(experiment, model), {.joins_at = entry});
}

template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_member_peer(const Experiment<Scalar>& experiment,
                                               const std::vector<PeerId>& members, PeerId id,
                                               PacketPool& packets) {
  const auto found = std::ranges::find(members, id);
  ensure(found != members.end() && members_agree(experiment),
         "a member of the run is one of those agreed on");
  const auto place = static_cast<PeerId>(found - members.begin());
  const auto count = static_cast<PeerId>(members.size());
  const SegmentTable segments = experiment.problem.objectives[id]->segments();
  MethodInput<Scalar> method = method_input(experiment, place, experiment.problem.initial, {}, segments);
  method.peer_count = count;
  method.worker_count = count;
  PeerInput<Scalar> input = input_of(experiment, id, packets, {}, {});
  input.id = place;
  input.draws_as = id;
  input.schedule = full_schedule(count);
  input.algorithm = experiment.method->make(method);
  return std::make_unique<Peer<Scalar>>(std::move(input));
}

#define HEARSAY_MAKE_PEER(Scalar)                                                                          \
  template std::unique_ptr<Peer<Scalar>> make_peer<Scalar>(const Experiment<Scalar>&, PeerId, PacketPool&, \
                                                           CheckpointRule);                                \
  template std::unique_ptr<Peer<Scalar>> make_peer_with<Scalar>(const Experiment<Scalar>&, PeerId,         \
                                                                PacketPool&, const MakeMethod<Scalar>&);   \
  template std::unique_ptr<Peer<Scalar>> make_member_peer<Scalar>(                                         \
      const Experiment<Scalar>&, const std::vector<PeerId>&, PeerId, PacketPool&);                         \
  template Partners mixing_partners<Scalar>(const Experiment<Scalar>&, PeerId);                            \
  template std::unique_ptr<Algorithm<Scalar>> make_method<Scalar>(                                         \
      const Experiment<Scalar>&, PeerId, const Vector<Scalar>&, Partners, const SegmentTable&);            \
  template std::unique_ptr<Peer<Scalar>> make_joining_peer<Scalar>(                                        \
      const Experiment<Scalar>&, PeerId, PacketPool&, const EntryPoint&, const Vector<Scalar>&);
HEARSAY_MAKE_PEER(float)
HEARSAY_MAKE_PEER(double)
#undef HEARSAY_MAKE_PEER

}  // namespace hearsay
