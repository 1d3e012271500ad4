#include "runtime/experiment/memory_need.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/make_method.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/wire/long_message.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

constexpr Index small_dimension = 1024;

/// Adds up the numbers of all vectors of a method.
template <class Scalar>
struct SizeVisitor final : StateVisitor<Scalar> {
  Index size = 0;
  void state(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
  void published(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
  void replica(std::string_view, PeerId, Vector<Scalar>& vector) override { size += vector.size(); }
  void scratch(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
};

/// What a method keeps and sends, in vectors of R^d.
struct MethodSize {
  double state = 1.0;         // one that refuses a small model has a model, at least
  double an_iteration = 1.0;  // of messages, of which each destination gets its own, or all get the same
  double a_message = 1.0;
};

template <class Scalar>
MethodSize size_of_method(const Experiment<Scalar>& experiment, PeerId id) {
  constexpr double vector = small_dimension;
  constexpr double vector_bytes = small_dimension * sizeof(Scalar);
  const Vector<Scalar> initial = Vector<Scalar>::Zero(small_dimension);
  MethodSize size;
  try {
    const auto method = make_method<Scalar>(experiment, id, initial, mixing_partners(experiment, id),
                                            {{"parameters", 0, small_dimension}});
    SizeVisitor<Scalar> visitor;
    method->visit_state(visitor);
    size.state = static_cast<double>(visitor.size) / vector;
    const Traffic traffic = method->traffic(1, PeerRows(*experiment.schedule, id));
    const auto payload = static_cast<double>(traffic.payload_bytes) / vector_bytes;
    const std::size_t destinations = partners_of(experiment, id).destinations.size();
    size.an_iteration = payload / static_cast<double>(std::max<std::size_t>(1, destinations));
    size.a_message = payload / static_cast<double>(std::max<std::uint64_t>(1, traffic.messages));
  } catch (const Misuse&) {
  }
  return size;
}

/// What the peers of `holds` need, in bytes.
template <class Scalar>
struct Need {
  Need(const Experiment<Scalar>& experiment, Holds holds)
      : bytes_of_vector(static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar)),
        peers(holds == Holds::one ? 1.0 : static_cast<double>(experiment.peer_count())) {
    const auto vectors = [&](PeerId id) {
      const PeerMemory memory = memory_of_peer(experiment, id);
      return holds == Holds::all_at_once ? memory.method + memory.objective + memory.sent + 1.0
                                         : memory.total() + 1.0;  // and its model at the observer
    };
    of_first = vectors(0);
    of_others = experiment.peer_count() > 1 && peers > 1.0 ? vectors(1) : 0.0;
  }
  /// x_0 and the model that is evaluated, too.
  double bytes() const { return bytes_of_vector * (2.0 + of_first + (peers - 1.0) * of_others); }
  double fitting_peers(double memory) const {
    return 1.0 + std::floor((memory / bytes_of_vector - 2.0 - of_first) / std::max(1.0, of_others));
  }

  double bytes_of_vector;
  double peers;
  double of_first = 0.0;
  double of_others = 0.0;
};

}  // namespace

template <class Scalar>
PeerMemory memory_of_peer(const Experiment<Scalar>& experiment, PeerId id) {
  const MethodSize own = size_of_method(experiment, id);
  const std::vector<PeerId> sources = partners_of(experiment, id).sources;
  PeerMemory memory;
  memory.method = own.state + 1.0;
  const double bytes_of_vector = static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar);
  memory.objective = bytes_of_drawn_objective(experiment.settings, sizeof(Scalar)) / bytes_of_vector;
  memory.sent = 2.0 * own.an_iteration;
  if (!sources.empty()) {
    const double a_message = size_of_method(experiment, sources.front()).a_message;
    memory.received = 2.0 * static_cast<double>(sources.size()) * a_message;
    memory.is_storage_shared = a_message * bytes_of_vector > to_neighbor::usual_piece_bytes;
    if (memory.is_storage_shared) memory.received += a_message;
  }
  if (std::ranges::all_of(experiment.problem.initial, [](Scalar entry) { return entry == 0; }))
    memory.initial = 0.0;
  return memory;
}

template <class Scalar>
double largest_process(const Experiment<Scalar>& experiment) {
  const Graph& graph = experiment.topology.graph;
  PeerId busiest = 0;
  for (PeerId id = 1; id < experiment.peer_count(); ++id)
    if (graph.degree(id) > graph.degree(busiest)) busiest = id;
  const double vectors =
      std::max(memory_of_peer(experiment, 0).total(), memory_of_peer(experiment, busiest).total());
  return vectors * static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar);
}

template <class Scalar>
void require_memory(const Experiment<Scalar>& experiment, Holds holds) {
  const Need<Scalar> need(experiment, holds);
  const auto lack = beyond_memory(need.bytes());
  if (!lack) return;
  const auto memory = static_cast<double>(machine_memory());
  const double peers = need.fitting_peers(memory);
  const double parameters =
      std::floor(static_cast<double>(experiment.problem.dimension()) * memory / need.bytes());
  const std::string kind = experiment.settings.model.kind;
  throw Misuse(
      "topology.peers", number_text(experiment.peer_count()),
      "with " + std::to_string(experiment.problem.dimension()) + " parameters " +
          (holds == Holds::one ? "one of them needs " : "they need ") + *lack + "; expected " +
          (holds != Holds::one && peers >= 2.0 ? "at most " + number_text(peers) + " peers, or " : "") +
          "at most " + number_text(parameters) + " parameters. hearsay simulate with model.kind = \"size(" +
          std::to_string(experiment.problem.dimension()) + ")\" tells times and bytes without them");
}

#define HEARSAY_MEMORY_NEED(Scalar)                                              \
  template PeerMemory memory_of_peer<Scalar>(const Experiment<Scalar>&, PeerId); \
  template double largest_process<Scalar>(const Experiment<Scalar>&);            \
  template void require_memory<Scalar>(const Experiment<Scalar>&, Holds);
HEARSAY_MEMORY_NEED(float)
HEARSAY_MEMORY_NEED(double)
#undef HEARSAY_MEMORY_NEED

}  // namespace hearsay
