#include "runtime/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/registry.hpp"
#include "runtime/problem_builder.hpp"
#include "runtime/soundness.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

/// run.iterations, or as many as run.epochs passes over the data take.
template <class Scalar>
std::uint64_t iteration_count(const RunSettings& settings, const Problem<Scalar>& problem) {
  if (!settings.run.epochs) return settings.run.iterations;
  if (!settings.algorithm.batch) return static_cast<std::uint64_t>(std::ceil(*settings.run.epochs));
  Index samples = 0;
  for (const auto& objective : problem.objectives) samples += objective->sample_count();
  const double per_iteration =
      static_cast<double>(*settings.algorithm.batch) * static_cast<double>(problem.peer_count());
  return static_cast<std::uint64_t>(
      std::ceil(*settings.run.epochs * static_cast<double>(samples) / per_iteration));
}

template <class Scalar>
Experiment<Scalar> assemble(RunSettings settings, Cluster cluster, Problem<Scalar> problem) {
  settings.run.scalar = std::is_same_v<Scalar, float> ? ScalarKind::float32 : ScalarKind::float64;
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (settings.algorithm.compressor.empty()) settings.algorithm.compressor = method.default_compressor;
  // Parsed here once, so that a wrong spelling is refused before anything starts, and every alias is expanded.
  settings.algorithm.compressor =
      make_compressor<Scalar>(settings.algorithm.compressor, problem.objectives.front()->segments())
          ->spelling();
  if (settings.algorithm.restart_every != 0 && !method.restarts)
    throw Misuse("algorithm.restart_every", std::to_string(settings.algorithm.restart_every),
                 method.name + " does not restart; leave it out");

  std::shared_ptr<const Schedule> schedule =
      make_schedule(settings.topology.schedule, cluster.graph, cluster.mixing, settings.run.seed);
  const StepSize step_size(settings.algorithm.step_size, settings.algorithm.step_schedule,
                           settings.algorithm.warm_up);
  const std::uint64_t iterations = iteration_count(settings, problem);
  Experiment<Scalar> experiment{
      std::move(settings), std::move(problem), std::move(cluster), std::move(schedule), &method,
      step_size,           iterations};
  check_soundness(experiment);
  return experiment;
}

}  // namespace

template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings) {
  Cluster cluster = make_cluster(settings.topology, settings.run.seed);
  RunSettings resolved = settings;
  resolved.topology.peers = cluster.mixing.peer_count();
  Problem<Scalar> problem = build_problem<Scalar>(resolved);
  return assemble(std::move(resolved), std::move(cluster), std::move(problem));
}

template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, Problem<Scalar> problem) {
  Cluster cluster = make_cluster(settings.topology, settings.run.seed);
  RunSettings resolved = settings;
  resolved.topology.peers = cluster.mixing.peer_count();
  if (problem.peer_count() != resolved.topology.peers)
    throw Misuse(
        "topology.peers", std::to_string(resolved.topology.peers),
        "the problem has " + std::to_string(problem.peer_count()) + " objectives, one per peer is needed");
  return assemble(std::move(resolved), std::move(cluster), std::move(problem));
}

template <class Scalar>
std::unique_ptr<Peer<Scalar>> make_peer(const Experiment<Scalar>& experiment, PeerId id,
                                        PacketPool& packets) {
  const RunSettings& settings = experiment.settings;
  const SegmentTable segments = experiment.problem.objectives[id]->segments();
  std::vector<PeerId> neighbors;
  if (experiment.schedule->period() == 1)
    for (const WeightedNeighbor& neighbor : experiment.schedule->row(id, 0).hears)
      neighbors.push_back(neighbor.id);
  const MethodInput<Scalar> input{.self = id,
                                  .peer_count = experiment.peer_count(),
                                  .initial = experiment.problem.initial,
                                  .neighbors = std::move(neighbors),
                                  .compressor = settings.algorithm.compressor,
                                  .segments = segments,
                                  .restart_every = settings.algorithm.restart_every};
  return std::make_unique<Peer<Scalar>>(
      PeerInput<Scalar>{.id = id,
                        .algorithm = experiment.method->make(input),
                        .objective = experiment.problem.objectives[id].get(),
                        .schedule = experiment.schedule,
                        .step_size = experiment.step_size,
                        .seed = settings.run.seed,
                        .batch = settings.algorithm.batch,
                        .iterations = experiment.iterations,
                        .evaluate_every = settings.run.evaluate_every,
                        .packets = &packets});
}

template <class Scalar>
Partners partners_of(const Experiment<Scalar>& experiment, PeerId id) {
  const PeerId n = experiment.peer_count();
  if (experiment.method->pattern == Pattern::ring)
    return n == 1 ? Partners{} : Partners{{(id + n - 1) % n}, {(id + 1) % n}};
  Partners result;
  for (std::uint64_t round = 0; round < experiment.schedule->period(); ++round) {
    const MixingRow& row = experiment.schedule->row(id, round);
    for (const WeightedNeighbor& neighbor : row.hears) result.sources.push_back(neighbor.id);
    result.destinations.insert(result.destinations.end(), row.heard_by.begin(), row.heard_by.end());
  }
  for (std::vector<PeerId>* ids : {&result.sources, &result.destinations}) {
    std::sort(ids->begin(), ids->end());
    ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  }
  return result;
}

#define HEARSAY_EXPERIMENT(Scalar)                                                                          \
  template Experiment<Scalar> prepare<Scalar>(const RunSettings&);                                          \
  template Experiment<Scalar> prepare<Scalar>(const RunSettings&, Problem<Scalar>);                         \
  template std::unique_ptr<Peer<Scalar>> make_peer<Scalar>(const Experiment<Scalar>&, PeerId, PacketPool&); \
  template Partners partners_of<Scalar>(const Experiment<Scalar>&, PeerId);
HEARSAY_EXPERIMENT(float)
HEARSAY_EXPERIMENT(double)
#undef HEARSAY_EXPERIMENT

}  // namespace hearsay
