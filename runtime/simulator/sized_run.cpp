#include "runtime/simulator/sized_run.hpp"

#include <cmath>
#include <limits>
#include <variant>

#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/registry.hpp"
#include "runtime/simulator/no_objective.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// In how many coordinates a vector is cut at most.
constexpr Index longest_bucket = 8192;

void refuse_what_needs_a_model(const RunSettings& settings) {
  const auto refuse = [&](const std::string& key, const std::string& value, const std::string& expected) {
    throw Misuse(key, value, settings.model.kind + " has times and bytes, and no loss; " + expected);
  };
  if (settings.run.target_loss)
    refuse("run.target_loss", number_text(*settings.run.target_loss), "leave it out");
  if (settings.run.patience) refuse("run.patience", std::to_string(*settings.run.patience), "leave it out");
  if (settings.run.epochs) refuse("run.epochs", number_text(*settings.run.epochs), "expected run.iterations");
  if (settings.run.evaluate == RunSettings::Run::Evaluate::peers)
    refuse("run.evaluate", "\"peers\"", "expected \"mean\"");
  bool measured = settings.network.compute.kind == ComputeTime::Kind::measured;
  for (const auto& [peer, network] : settings.peer_networks)
    measured = measured || network.compute.kind == ComputeTime::Kind::measured;
  if (measured)
    refuse("network.compute", "\"measured\"", "expected how long a gradient takes, such as \"350 ms\"");
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (method.asynchronous)
    refuse("algorithm.kind", method.name, "what it sends depends on when messages arrive");
  if (method.options.rank)
    refuse("algorithm.kind", method.name, "what it sends depends on the matrices of the layers");
}

/// Returns the dimension a of the smaller stand-in.
Index stand_in_of(const RunSettings& settings, const MethodInfo& method) {
  const std::string& compressor =
      settings.algorithm.compressor.empty() ? method.default_compressor : settings.algorithm.compressor;
  if (compressor != "none") return longest_bucket;
  const MethodOptions options = resolved_options(settings.algorithm.options, method);
  const auto parts = static_cast<Index>(settings.topology.peers * options.fragments.value_or(1));
  return parts * ((longest_bucket + parts - 1) / parts);
}

RunSettings of_a_quadratic(RunSettings settings, Index dimension) {
  settings.model.kind = "quadratic(" + std::to_string(dimension) + ")";
  settings.data.order = RunSettings::Data::Order::with_replacement;
  return settings;
}

/// The run on a stand-in: what it asks of its peers.
template <class Scalar>
struct StandIn {
  explicit StandIn(const RunSettings& settings)
      : experiment(prepare<Scalar>(settings)), traced(simulate_traced(experiment, Duration{0})) {
    if (!may_be_retimed(experiment, traced))
      throw Misuse("the quadratic that stands in for the model ends badly: " + traced.outcome.reason);
  }
  Experiment<Scalar> experiment;
  TracedRun<Scalar> traced;
};

/// The trace of a run in dimension d, from those in dimensions a and b.
WorkTrace stretched(const WorkTrace& of_a, const WorkTrace& of_b, std::uint64_t iterations,
                    long double factor) {
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
      if (step.kind == WorkStep::Kind::send) {
        const auto base = static_cast<long double>(step.amount);
        const long double growth = static_cast<long double>(large[k].amount) - base;
        step.amount = static_cast<std::uint64_t>(std::llround(std::max(0.0L, base + growth * factor)));
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
  return stand_in;
}

}  // namespace

bool is_only_a_size(const RunSettings& settings) {
  return std::holds_alternative<SizeModel>(parse_model(settings.model.kind).info->make);
}

template <class Scalar>
SizedRun<Scalar> sized_run(const RunSettings& settings) {
  refuse_what_needs_a_model(settings);
  const Index d = parse_model(settings.model.kind).shape.sizes.front();
  const Index a = stand_in_of(settings, find_method(settings.algorithm.kind));
  const bool is_small = d <= 2 * a;
  StandIn<Scalar> small(of_a_quadratic(settings, is_small ? d : a));
  const std::size_t peers = small.traced.traces.size();
  if (!is_small) {
    const StandIn<Scalar> large(of_a_quadratic(settings, 2 * a));
    const long double factor = static_cast<long double>(d - a) / static_cast<long double>(a);
    for (std::size_t id = 0; id < peers; ++id)
      small.traced.traces[id] =
          stretched(small.traced.traces[id], large.traced.traces[id], small.experiment.iterations, factor);
  }
  SizedRun<Scalar> run{of_size(std::move(small.experiment), settings, d), std::move(small.traced)};
  run.traced.outcome = play(run.experiment, run.traced.traces, run.experiment.settings);
  for (Evaluation& evaluation : run.traced.outcome.evaluations)
    evaluation.loss = evaluation.consensus_distance = std::numeric_limits<double>::quiet_NaN();
  return run;
}

template SizedRun<float> sized_run<float>(const RunSettings&);
template SizedRun<double> sized_run<double>(const RunSettings&);

}  // namespace hearsay
