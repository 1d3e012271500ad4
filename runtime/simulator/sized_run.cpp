#include "runtime/simulator/sized_run.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "algorithms/objectives/registry.hpp"
#include "runtime/experiment/quickest_reduce.hpp"
#include "runtime/settings/keep_models.hpp"
#include "runtime/simulator/no_objective.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// The stand-in has at least so many coordinates if messages are compressed: a multiple of the usual buckets.
constexpr Index shortest_compressed = 8192;
constexpr Index shortest_uncompressed = 64;
/// More coordinates of all peers together take too long to train.
constexpr Index most_coordinates = Index{1} << 24;
/// How far the bytes of a message may be from those of the model's size.
constexpr double tolerance = 0.01;
/// Of all peers together; more of them do not fit a record.
constexpr long double most_bytes = 9e18L;

void refuse_what_needs_a_model(const RunSettings& settings, const MethodInfo& method) {
  const auto refuse = [&](const std::string& key, const std::string& value, const std::string& why) {
    throw Misuse(key, value, why);
  };
  const std::string no_loss = settings.model.kind + " is only a size, which has no loss; leave it out";
  const std::string no_data = settings.model.kind + " is only a size, which has no data; leave it out";
  if (settings.run.target_loss) refuse("run.target_loss", number_text(*settings.run.target_loss), no_loss);
  if (settings.run.patience) refuse("run.patience", std::to_string(*settings.run.patience), no_loss);
  if (settings.run.keep == RunSettings::Run::Keep::best) refuse("run.keep", "\"best\"", no_loss);
  if (settings.run.keep_models.every != 0)
    refuse("run.keep_models", "\"" + keep_models_text(settings.run.keep_models) + "\"",
           settings.model.kind + " is only a size, which has no model; leave it out");
  if (settings.run.evaluate == RunSettings::Run::Evaluate::peers)
    refuse("run.evaluate", "\"peers\"", no_loss);
  if (settings.run.epochs)
    refuse("run.epochs", number_text(*settings.run.epochs),
           settings.model.kind + " is only a size, which has no data; expected run.iterations");
  const RunSettings::Data& data = settings.data;
  const RunSettings::Data none;
  if (data.source != none.source) refuse("data.source", data.source, no_data);
  if (data.test != none.test) refuse("data.test", data.test, no_data);
  if (data.partition != none.partition) refuse("data.partition", data.partition, no_data);
  if (data.order != none.order) refuse("data.order", "\"shuffled\"", no_data);
  if (!settings.algorithm.batch)
    refuse("algorithm.batch", "\"full\"",
           settings.model.kind + " is only a size, which has no data; expected a number of samples");
  bool measured = settings.network.compute.kind == ComputeTime::Kind::measured;
  for (const auto& [peer, network] : settings.peer_networks)
    measured = measured || network.compute.kind == ComputeTime::Kind::measured;
  if (measured)
    refuse("network.compute", "\"measured\"",
           settings.model.kind + " is only a size; expected how long a gradient takes, such as \"350 ms\"");
  const std::string beforehand = "what it sends is not known beforehand: it depends on ";
  if (method.asynchronous) refuse("algorithm.kind", method.name, beforehand + "when messages arrive");
  if (settings.topology.rounds_close())
    refuse("topology.round_deadline", to_text(settings.topology.round_deadline),
           beforehand + "when messages arrive");
  if (method.needs_all_samples || !method.trains)
    refuse("algorithm.kind", method.name, "it takes gradients of all samples, and a size has none");
  if (settings.model.init != RunSettings::Model{}.init)
    refuse("model.init", settings.model.init, settings.model.kind + " is only a size; leave it out");
  if (!method.unknown_sizes) return;
  const MethodOptions options = resolved_options(settings.algorithm.options, method);
  const UnknownSizes unknown = method.unknown_sizes(options);
  if (!unknown.depends_on.empty())
    refuse(unknown.row ? "algorithm." + unknown.row->name : "algorithm.kind",
           unknown.row ? options.text(*unknown.row) : method.name, beforehand + unknown.depends_on);
}

std::string compressor_of(const RunSettings& settings, const MethodInfo& method) {
  return settings.algorithm.compressor.empty() ? method.default_compressor : settings.algorithm.compressor;
}

/// Returns the dimension a of the smaller stand-in: the least with which messages grow as they do up to the
/// dimension d.
Index stand_in_of(const RunSettings& settings, const MethodInfo& method, Index d) {
  const auto peers = static_cast<Index>(settings.topology.peers);
  const std::string spelling = compressor_of(settings, method);
  if (spelling == "none") {
    const MethodOptions options = resolved_options(settings.algorithm.options, method);
    const auto parts = peers * static_cast<Index>(options.find(option::fragments).value_or(1));
    return parts * ((shortest_uncompressed + parts - 1) / parts);
  }
  const auto compressor = make_compressor<float>(spelling, {});
  const auto bytes = [&](Index n) {
    return static_cast<double>(compressor->traits(static_cast<std::size_t>(n)).bytes);
  };
  for (Index a = shortest_compressed; a * peers <= most_coordinates; a *= 8) {
    if (d <= 2 * a) return a;
    const double guess =
        bytes(a) + (bytes(2 * a) - bytes(a)) * static_cast<double>(d - a) / static_cast<double>(a);
    if (std::abs(guess - bytes(d)) <= tolerance * bytes(d)) return a;
  }
  throw Misuse(
      "algorithm.compressor", spelling,
      "how long its messages are for " + settings.model.kind +
          " does not follow from a small model; expected shorter buckets or chunks, or a larger share");
}

/// Steps are short: a stand-in has to stay finite, whatever the step size of the real model is.
RunSettings of_a_quadratic(RunSettings settings, Index dimension) {
  settings.model.kind = "quadratic(" + std::to_string(dimension) + ")";
  settings.algorithm.step_size = 1e-3;
  settings.algorithm.batch = std::nullopt;  // its only sample, once
  return settings;
}

/// The quickest way of an all-reduce depends on the size, so it is chosen before a stand-in is made.
template <class Scalar>
RunSettings with_reduce_chosen(RunSettings settings, const MethodInfo& method, Index dimension) {
  if (!leaves_reduce_open(method, settings.algorithm.options)) return settings;
  const RunSettings complete =
      prepare<Scalar>(of_a_quadratic(settings, shortest_uncompressed)).settings;  // with peers and links
  const SegmentTable one_layer = {{.name = "model", .begin = 0, .rows = dimension}};
  settings.algorithm.options.set(option::reduce,
                                 *chosen_reduce(settings.algorithm.options, complete, one_layer));
  return settings;
}

/// The run on a stand-in: what it asks of its peers.
template <class Scalar>
struct StandIn {
  explicit StandIn(const RunSettings& settings)
      : experiment(prepare<Scalar>(settings)), traced(simulate_traced(experiment, Duration{0})) {
    if (!may_be_retimed(experiment, traced))
      throw Misuse(
          "model.kind", settings.model.kind,
          "the run of this small model, which stands in for a size, ends badly: " + traced.outcome.reason);
  }
  Experiment<Scalar> experiment;
  TracedRun<Scalar> traced;
};

/// The trace of a run in dimension d, from those in dimensions a and b, with `batch` samples for every
/// gradient. Adds the bytes of its messages to `bytes`.
WorkTrace stretched(const WorkTrace& of_a, const WorkTrace& of_b, std::uint64_t iterations,
                    long double factor, std::uint64_t batch, long double& bytes) {
  WorkTrace trace;
  for (std::uint64_t number = 1; number <= iterations; ++number) {
    const auto small = of_a.of(number);
    const auto large = of_b.of(number);
    ensure(small.size() == large.size(), "what a method asks for does not depend on the dimension");
    if (small.empty()) continue;
    trace.begin(number);
    for (std::size_t k = 0; k < small.size(); ++k) {
      WorkStep step = small[k];
      ensure(step.kind == large[k].kind, "what a method asks for does not depend on the dimension");
      if (step.kind == WorkStep::Kind::gradient) step.amount *= batch;
      if (step.kind == WorkStep::Kind::send) {
        const auto base = static_cast<long double>(step.amount);
        const long double growth = static_cast<long double>(large[k].amount) - base;
        const long double length = std::max(0.0L, base + growth * factor);
        bytes += length;
        if (bytes > most_bytes)
          throw Misuse("run.iterations", std::to_string(iterations),
                       "the peers would send more bytes than a record can hold; expected fewer");
        step.amount = static_cast<std::uint64_t>(std::llround(length));
      }
      trace.add(std::move(step));
    }
  }
  trace.end();
  return trace;
}

/// The experiment with objectives of dimension d that compute nothing.
template <class Scalar>
Experiment<Scalar> of_size(Experiment<Scalar> stand_in, const RunSettings& settings, Index dimension) {
  for (auto& objective : stand_in.problem.objectives)
    objective = std::make_unique<NoObjective<Scalar>>(objective->sample_count(), dimension);
  stand_in.problem.initial.setZero(1);
  stand_in.problem.minimiser.reset();
  stand_in.settings.model.kind = settings.model.kind;
  stand_in.settings.algorithm.step_size = settings.algorithm.step_size;
  stand_in.settings.algorithm.batch = settings.algorithm.batch;
  return stand_in;
}

}  // namespace

bool may_be_sized(const RunSettings& settings) {
  try {
    refuse_what_needs_a_model(settings, find_method(settings.algorithm.kind));
    return true;
  } catch (const Misuse&) {
    return false;
  }
}

bool is_only_a_size(const RunSettings& settings) {
  return std::holds_alternative<SizeModel>(parse_model(settings.model.kind).info->make);
}

template <class Scalar>
SizedRun<Scalar> sized_run(const RunSettings& given) {
  const MethodInfo& method = find_method(given.algorithm.kind);
  refuse_what_needs_a_model(given, method);
  const Index d = parse_model(given.model.kind).shape.sizes.front();
  const RunSettings settings = with_reduce_chosen<Scalar>(given, method, d);
  const Index a = stand_in_of(settings, method, d);
  const bool is_small = d <= 2 * a;
  StandIn<Scalar> small(of_a_quadratic(settings, is_small ? d : a));
  std::optional<StandIn<Scalar>> large;
  if (!is_small) large.emplace(of_a_quadratic(settings, 2 * a));
  const long double factor = is_small ? 0.0L : static_cast<long double>(d - a) / static_cast<long double>(a);
  std::vector<WorkTrace>& traces = small.traced.traces;
  long double bytes = 0.0L;
  for (std::size_t id = 0; id < traces.size(); ++id)
    traces[id] = stretched(traces[id], (large ? large->traced : small.traced).traces[id],
                           small.experiment.iterations, factor, *settings.algorithm.batch, bytes);
  SizedRun<Scalar> run{of_size(std::move(small.experiment), settings, d), std::move(small.traced)};
  run.traced.outcome = play(run.experiment, run.traced.traces, run.experiment.settings);
  const std::uint64_t told =
      run.traced.traces.size() * (header_bytes + static_cast<std::uint64_t>(d) * sizeof(Scalar));
  std::uint64_t told_so_far = 0;
  for (Evaluation& evaluation : run.traced.outcome.evaluations) {
    evaluation.loss = evaluation.consensus_distance = std::numeric_limits<double>::quiet_NaN();
    evaluation.distances = {};
    evaluation.evaluation_bytes = told_so_far += told;
  }
  return run;
}

template SizedRun<float> sized_run<float>(const RunSettings&);
template SizedRun<double> sized_run<double>(const RunSettings&);

}  // namespace hearsay
