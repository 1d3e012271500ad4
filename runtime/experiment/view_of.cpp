#include "runtime/experiment/view_of.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"

namespace hearsay {

namespace {

/// Returns how far the compressor contracts the first gradient at the initial model. Empty if that is 0 or
/// cannot be encoded, or the data are at home.
template <class Scalar>
std::optional<double> contraction_at_the_start(const Experiment<Scalar>& experiment) {
  if (experiment.problem.at_home) return {};
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  const Objective<Scalar>& objective = experiment.problem.first_with_data();
  std::vector<Index> samples(static_cast<std::size_t>(
      std::min<Index>(objective.sample_count(), static_cast<Index>(algorithm.batch.value_or(4096)))));
  std::iota(samples.begin(), samples.end(), Index{0});
  Vector<Scalar> gradient(experiment.problem.dimension());
  objective.gradient(experiment.problem.initial, samples, gradient);
  PacketPool packets;
  PacketBuffer packet = packets.acquire();
  RandomStream random(experiment.settings.run.seed, 0, 0, Purpose::compression);
  const auto compressor = make_compressor<Scalar>(algorithm.compressor, objective.segments());
  const auto z = view(std::as_const(gradient));
  if (compressor->encode({z, random, z}, packet) != CodecStatus::ok) return {};
  const double size = squared_norm(z);
  // The gradient becomes what is left of it.
  if (size <= 0.0 || compressor->accumulate(packet.bytes(), -1, view(gradient)) != CodecStatus::ok) return {};
  return 1.0 - squared_norm(z) / size;
}

/// Returns a function that measures the traits of a compressor, each once: that may cost as much as a
/// message.
template <class Scalar>
std::function<Traits(const std::string&)> traits_measured_once(const SegmentTable& segments,
                                                               std::size_t dimension) {
  const auto known = std::make_shared<std::map<std::string, Traits>>();
  return [=](const std::string& compressor) {
    const auto found = known->find(compressor);
    if (found != known->end()) return found->second;
    const Traits traits = measured_traits(*make_compressor<Scalar>(compressor, segments), dimension);
    known->emplace(compressor, traits);
    return traits;
  };
}

}  // namespace

template <class Scalar>
RunView view_of(const Experiment<Scalar>& experiment) {
  const RunSettings& settings = experiment.settings;
  const Problem<Scalar>& problem = experiment.problem;
  const SegmentTable segments = problem.objectives.front()->segments();
  const auto dimension = static_cast<std::size_t>(problem.dimension());
  std::uint64_t samples = 0;
  for (const auto& objective : problem.objectives)
    samples += static_cast<std::uint64_t>(objective->sample_count());
  return {.method = *experiment.method,
          .options = settings.algorithm.options,
          .compressor = settings.algorithm.compressor,
          .segments = segments,
          .dimension = dimension,
          .scalar_bytes = sizeof(Scalar),
          .step_size = settings.algorithm.step_size,
          .batch = settings.algorithm.batch,
          .iterations = experiment.iterations,
          .samples = samples,
          .partition = settings.data.partition,
          .worker_count = settings.topology.workers(),
          .mixing = experiment.topology.mixing,
          .schedule = *experiment.schedule,
          .weights = experiment.topology.weights,
          .schedule_name = settings.topology.schedule,
          .participation = settings.topology.participation,
          .traits_of = traits_measured_once<Scalar>(segments, dimension),
          .contraction_at_the_start = [&experiment] { return contraction_at_the_start(experiment); }};
}

template RunView view_of<float>(const Experiment<float>&);
template RunView view_of<double>(const Experiment<double>&);

}  // namespace hearsay
