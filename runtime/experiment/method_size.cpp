#include "runtime/experiment/method_size.hpp"

#include <algorithm>
#include <string>

#include "algorithms/compression/seam/scratch.hpp"
#include "algorithms/methods/double_squeeze.hpp"
#include "algorithms/methods/parts/kept_gradients.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/experiment/make_method.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

constexpr Index small_dimension = 1024;
/// Of vectors that are not made: what takes the same for every model does not count beside them.
constexpr Index large_dimension = 1 << 24;

/// Adds up the numbers of all vectors of a method.
template <class Scalar>
struct SizeVisitor final : StateVisitor<Scalar> {
  Index size = 0;
  void state(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
  void published(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
  void replica(std::string_view, PeerId, Vector<Scalar>& vector) override { size += vector.size(); }
  void scratch(std::string_view, Vector<Scalar>& vector) override { size += vector.size(); }
};

/// The layers of a small model: a matrix if the model has one, since low ranks are of matrices.
template <class Scalar>
SegmentTable small_segments(const Experiment<Scalar>& experiment) {
  constexpr Index side = 32;
  static_assert(side * side == small_dimension);
  const auto& objectives = experiment.problem.objectives;
  const auto is_matrix = [](const Segment& layer) { return layer.rows > 1 && layer.columns > 1; };
  const bool has_matrix =
      !objectives.empty() && std::ranges::any_of(objectives.front()->segments(), is_matrix);
  return has_matrix ? SegmentTable{{"parameters", 0, side, side}}
                    : SegmentTable{{"parameters", 0, small_dimension}};
}

/// Vectors that a method has not from the beginning: the gradients from which a basis is learned, which one
/// peer keeps, and the basis, which all do.
template <class Scalar>
double late_state(const Experiment<Scalar>& experiment, PeerId id) {
  const MethodOptions& options = experiment.settings.algorithm.options;
  const auto dense_rounds = options.find(option::dense_rounds);
  const auto rank = options.find(option::rank);
  if (!dense_rounds || !rank) return 0.0;
  const std::uint64_t gradients =
      KeptGradients<Scalar>::count_after(*dense_rounds, experiment.settings.topology.workers());
  const std::uint64_t kept = id == 0 ? gradients : 0;
  return static_cast<double>(kept + std::min(*rank, gradients));
}

/// The first iterations of a method need not be like the later ones: a hub may begin without a message.
constexpr std::uint64_t first_iterations = 64;

/// Returns what a compressor keeps from message to message.
template <class Scalar>
double scratch_of(const std::string& compressor, CodecUse use) {
  const auto made = make_compressor<Scalar>(compressor, {{"parameters", 0, large_dimension}});
  return static_cast<double>(scratch_bytes(*made, large_dimension, use)) /
         static_cast<double>(large_dimension * sizeof(Scalar));
}

}  // namespace

template <class Scalar>
MethodSize size_of_method(const Experiment<Scalar>& experiment, PeerId id) {
  constexpr double vector = small_dimension;
  constexpr double vector_bytes = small_dimension * sizeof(Scalar);
  const Vector<Scalar> initial = Vector<Scalar>::Zero(small_dimension);
  MethodSize size;
  try {
    const auto method = make_method<Scalar>(experiment, id, initial, mixing_partners(experiment, id),
                                            small_segments(experiment));
    SizeVisitor<Scalar> visitor;
    method->visit_state(visitor);
    size = {static_cast<double>(visitor.size) / vector + late_state(experiment, id), 0.0, 0.0,
            method->takes_pieces()};
    const std::size_t destinations = partners_of(experiment, id).destinations.size();
    const std::uint64_t last = std::min(experiment.iterations, first_iterations);
    for (std::uint64_t number = 1; number <= last; ++number) {
      const Traffic traffic = method->traffic(number, PeerRows(*experiment.schedule, id));
      const auto payload = static_cast<double>(traffic.payload_bytes) / vector_bytes;
      size.an_iteration =
          std::max(size.an_iteration, payload / static_cast<double>(std::max<std::size_t>(1, destinations)));
      size.a_message = std::max(size.a_message,
                                payload / static_cast<double>(std::max<std::uint64_t>(1, traffic.messages)));
    }
  } catch (const Misuse&) {
  }
  return size;
}

template <class Scalar>
double scratch_of_peer(const Experiment<Scalar>& experiment, PeerId id) {
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  const std::uint64_t rounds = algorithm.options.find(option::rounds).value_or(1);
  const auto of = [rounds](const std::string& compressor, CodecUse use) {
    return scratch_of<Scalar>(repeated_compressor(rounds, compressor), use);
  };
  const double up = of(algorithm.compressor, CodecUse::encodes_and_decodes);
  const auto down = algorithm.options.find(option::down_compressor);
  if (!down) return up;
  return up + of(*down, id == hub_id ? CodecUse::encodes_and_decodes : CodecUse::decodes);
}

#define HEARSAY_METHOD_SIZE(Scalar)                                              \
  template MethodSize size_of_method<Scalar>(const Experiment<Scalar>&, PeerId); \
  template double scratch_of_peer<Scalar>(const Experiment<Scalar>&, PeerId);
HEARSAY_METHOD_SIZE(float)
HEARSAY_METHOD_SIZE(double)
#undef HEARSAY_METHOD_SIZE

}  // namespace hearsay
