#include "runtime/experiment/peer_memory.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/method_size.hpp"
#include "runtime/experiment/piece_mixing.hpp"
#include "runtime/wire/long_message.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

template <class Scalar>
ModelMemory model_memory_of(const Experiment<Scalar>& experiment) {
  ModelMemory model{.bytes = static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar),
                    .objective = 0.0,
                    .initial = 1.0};
  model.objective = bytes_of_drawn_objective(experiment.settings, sizeof(Scalar)) / model.bytes;
  if (std::ranges::all_of(experiment.problem.initial, [](Scalar entry) { return entry == 0; }))
    model.initial = 0.0;
  return model;
}

template <class Scalar>
PeerMemory memory_with(const Experiment<Scalar>& experiment, PeerId id, const ModelMemory& model) {
  MethodSize own = size_of_method(experiment, id);
  if (experiment.settings.failure.hub_standby == id) own.state += size_of_method(experiment, hub_id).state;
  const std::vector<PeerId> sources = partners_of(experiment, id).sources;
  PeerMemory memory;
  memory.method = own.state + 1.0;
  if (members_agree(experiment)) memory.method += 2.0 * own.state;  // copies after the last two iterations
  memory.scratch = scratch_of_peer(experiment, id);
  memory.objective = model.objective;
  memory.initial = model.initial;
  memory.told = experiment.settings.run.evaluate == RunSettings::Run::Evaluate::own ? 0.0 : 2.0;
  // A neighbor may be one iteration ahead or behind, and as many more as the run's staleness.
  const double iterations_kept = 2.0 + 2.0 * static_cast<double>(staleness_of(experiment.settings));
  memory.sent = iterations_kept * own.an_iteration;
  memory.checkpoint = own.state + memory.sent;
  memory.comes_back = experiment.settings.failure.keeps_checkpoints();
  if (sources.empty()) return memory;
  const auto heard = static_cast<double>(sources.size());
  const MethodSize of_source = size_of_method(experiment, sources.front());
  const double a_message = of_source.a_message;
  const std::uint64_t logged = std::min(experiment.settings.failure.checkpoint_every, experiment.iterations);
  memory.log = static_cast<double>(logged) * heard * of_source.an_iteration;
  if (experiment.method->asynchronous) {
    // The last request to each neighbor and the last answer are kept; two requests come from each.
    memory.sent = 2.0 * heard * own.a_message;
    memory.received = (2.0 * heard + 1.0) * a_message;
    return memory;
  }
  // No worker is ahead of its hub, nor a hub of the workers of a round.
  memory.received = (experiment.method->pattern.has_hub ? 1.0 : iterations_kept) * heard * a_message;
  // Local steps between two messages: the first is kept until the second is there, and the sender may have
  // begun anew.
  if (experiment.method->options.has(option::local_steps) && of_source.an_iteration == 2.0 * a_message)
    memory.received *= 2.0;
  // A hub with data answers itself, too.
  const bool is_hub = experiment.method->pattern.has_hub && id == hub_id;
  if (is_hub && experiment.settings.topology.workers() == experiment.peer_count())
    memory.received += a_message;
  const bool is_long = a_message * model.bytes > to_neighbor::usual_piece_bytes;
  if (is_long && of_source.takes_pieces && permits_piece_mixing(experiment.settings)) {
    // Of the message that is mixed, and of the next one, which leave unasked.
    constexpr double pieces = to_neighbor::most_pieces_ahead + to_neighbor::pieces_at_once;
    memory.received =
        heard * std::min(2.0 * a_message, pieces * to_neighbor::usual_piece_bytes / model.bytes);
    memory.mixes_pieces = true;
    return memory;
  }
  // A hub waits for its workers one by one: what it has sent is kept for the last of them.
  memory.is_storage_shared = is_long && !experiment.method->pattern.has_hub;
  if (is_long && is_hub && own.a_message > a_message)
    memory.received *= own.a_message / a_message;  // storage is used anew, and grows to the longest message
  else if (memory.is_storage_shared && own.an_iteration > own.a_message)
    memory.received += own.an_iteration;  // one message of a neighbor frees all that was sent in an iteration
  else if (is_long && !memory.is_storage_shared)
    memory.received += a_message;
  return memory;
}

template <class Scalar>
PeerMemory memory_of_peer(const Experiment<Scalar>& experiment, PeerId id) {
  return memory_with(experiment, id, model_memory_of(experiment));
}

#define HEARSAY_PEER_MEMORY(Scalar)                                                               \
  template ModelMemory model_memory_of<Scalar>(const Experiment<Scalar>&);                        \
  template PeerMemory memory_with<Scalar>(const Experiment<Scalar>&, PeerId, const ModelMemory&); \
  template PeerMemory memory_of_peer<Scalar>(const Experiment<Scalar>&, PeerId);
HEARSAY_PEER_MEMORY(float)
HEARSAY_PEER_MEMORY(double)
#undef HEARSAY_PEER_MEMORY

}  // namespace hearsay
