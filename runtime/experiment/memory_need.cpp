#include "runtime/experiment/memory_need.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/make_method.hpp"
#include "runtime/foundation/machine.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

constexpr Index small_dimension = 4096;

/// Adds up the numbers of all vectors of a method.
template <class Scalar>
struct SizeVisitor final : StateVisitor<Scalar> {
  Index size = 0;
  void state(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
  void published(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
  void replica(std::string_view, PeerId, Vector<Scalar>& vector) override { size += vector.size(); }
  void scratch(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
};

/// Returns the vectors of R^d that a method keeps at peer `id`. One that refuses a small model has a model,
/// at least.
template <class Scalar>
double vectors_of_method(const Experiment<Scalar>& experiment, PeerId id) {
  const Vector<Scalar> initial = Vector<Scalar>::Zero(small_dimension);
  try {
    const auto method = make_method<Scalar>(experiment, id, initial, mixing_partners(experiment, id),
                                            {{"parameters", 0, small_dimension}});
    SizeVisitor<Scalar> visitor;
    method->visit_state(visitor);
    return static_cast<double>(visitor.size) / static_cast<double>(small_dimension);
  } catch (const Misuse&) {
    return 1.0;
  }
}

/// Returns the length of a message in vectors of R^d, at most as long as one in full precision.
template <class Scalar>
double vectors_of_message(const Experiment<Scalar>& experiment) {
  const Problem<Scalar>& problem = experiment.problem;
  const auto d = static_cast<std::size_t>(problem.dimension());
  const auto compressor = make_compressor<Scalar>(experiment.settings.algorithm.compressor,
                                                  problem.objectives.front()->segments());
  const auto bytes = static_cast<double>(compressor->traits(d).bytes);
  return std::min(1.0, bytes / (static_cast<double>(d) * sizeof(Scalar)));
}

/// What the peers of `holds` need, in bytes.
template <class Scalar>
struct Need {
  Need(const Experiment<Scalar>& experiment, Holds holds)
      : bytes_of_vector(static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar)),
        peers(holds == Holds::one ? 1.0 : static_cast<double>(experiment.peer_count())) {
    const auto vectors = [&](PeerId id) {
      const PeerMemory memory = memory_of_peer(experiment, id);
      return memory.total() + (holds == Holds::one ? 0.0 : 1.0);  // one: its model in an evaluation
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
  PeerMemory memory;
  memory.method = vectors_of_method(experiment, id) + 1.0;
  memory.objective = bytes_of_drawn_objective(experiment.settings, sizeof(Scalar)) /
                     (static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar));
  const Partners partners = partners_of(experiment, id);
  memory.messages = vectors_of_message(experiment) * (2.0 + static_cast<double>(partners.sources.size()));
  return memory;
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
  template void require_memory<Scalar>(const Experiment<Scalar>&, Holds);
HEARSAY_MEMORY_NEED(float)
HEARSAY_MEMORY_NEED(double)
#undef HEARSAY_MEMORY_NEED

}  // namespace hearsay
