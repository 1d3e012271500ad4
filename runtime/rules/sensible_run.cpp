#include "runtime/rules/sensible_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/rules/failure_rules.hpp"
#include "runtime/settings/evaluate_every.hpp"
#include "runtime/settings/keep_models.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

template <class Scalar>
std::uint64_t largest_shard_of(const Problem<Scalar>& problem) {
  Index largest = 0;
  for (const auto& objective : problem.objectives) largest = std::max(largest, objective->sample_count());
  return static_cast<std::uint64_t>(largest);
}

template <class Scalar>
void require_sensible_batch(const RunSettings& settings, const Problem<Scalar>& problem) {
  const std::uint64_t largest_shard = largest_shard_of(problem);
  const std::uint64_t most = std::max<std::uint64_t>(4096, largest_shard);
  const bool shuffled = settings.data.order == RunSettings::Data::Order::shuffled;
  if (shuffled && !settings.algorithm.batch)
    throw Misuse(
        "data.order", "\"shuffled\"",
        "algorithm.batch = \"full\" takes every sample each time, in no order; expected a number for "
        "algorithm.batch, or \"with-replacement\"");
  if (settings.algorithm.batch.value_or(0) > most)
    throw Misuse(
        "algorithm.batch", std::to_string(*settings.algorithm.batch),
        std::string(shuffled ? "a batch goes on in the next pass" : "a batch is drawn with replacement") +
            ", and no peer has more than " + std::to_string(largest_shard) +
            (largest_shard == 1 ? " sample" : " samples") + "; expected at most " + std::to_string(most) +
            ", or \"full\" for each sample once");
}

template <class Scalar>
void require_sensible_local_steps(const RunSettings& settings, const Problem<Scalar>& problem) {
  const MethodOptions& options = settings.algorithm.options;
  const std::uint64_t local_steps = most_local_steps(options, settings.topology.workers());
  const std::uint64_t most = std::max<std::uint64_t>(10'000, largest_shard_of(problem));
  if (local_steps > most)
    throw Misuse(
        lists_worker_steps(options) ? "algorithm.worker_steps" : "algorithm.local_steps",
        std::to_string(local_steps),
        "that many steps go by without a word to the neighbors; expected at most " + std::to_string(most));
}

template <class Scalar>
void require_possible_evaluation(const RunSettings& settings, const Problem<Scalar>& problem) {
  using Run = RunSettings::Run;
  if (settings.run.evaluate == Run::Evaluate::peers && problem.at_home)
    throw Misuse(
        "run.evaluate", "\"peers\"",
        "the data are at home at the peers, so every model would go to each of them; expected \"mean\" or "
        "\"own\"");
  if (settings.run.evaluate == Run::Evaluate::own && settings.run.keep == Run::Keep::best)
    throw Misuse(
        "run.keep", "\"best\"",
        "under run.evaluate = \"own\" the models stay at their peers, and nobody has their mean; expected "
        "\"last\"");
  const Run::KeepModels& models = settings.run.keep_models;
  if (models.every == 0) return;
  const auto refuse_models = [&](const std::string& why) {
    throw Misuse("run.keep_models", toml_text(keep_models_text(models)), why);
  };
  if (settings.run.evaluate == Run::Evaluate::own)
    refuse_models(
        "under run.evaluate = \"own\" the models stay at their peers; expected \"never\", or run.evaluate = "
        "\"mean\"");
  if (models.every % settings.run.evaluate_every != 0)
    refuse_models("models are seen at evaluations only, every " +
                  std::to_string(settings.run.evaluate_every) +
                  " iterations; expected a multiple of run.evaluate_every");
}

template <class Scalar>
void require_fitting_regularizer(const RunSettings& settings, const MethodInfo& method,
                                 const Problem<Scalar>& problem) {
  const Regularizer<Scalar>& h = *problem.regularizer;
  if (!h.is_none() && !method.composite)
    throw Misuse("model.regularizer", h.spelling(),
                 method.name + " minimises smooth objectives only; expected one of " +
                     methods_that([](const MethodInfo& other) { return other.composite; }));
  if (!std::isfinite(h.value(problem.initial)))
    throw Misuse("model.regularizer", h.spelling(),
                 "the initial model (model.init = \"" + settings.model.init +
                     "\") lies beyond these bounds; expected bounds around it, or a model.init between them");
}

/// What divides by the step size of an iteration; empty if nothing does.
std::string divides_by_step(const RunSettings::Algorithm& algorithm) {
  if (algorithm.options.find(option::outer).value_or("").starts_with("slowmo("))
    return "the outer rule slowmo";
  const MethodInfo& method = find_method(algorithm.kind);
  return method.divides_by_step ? method.divides_by_step(algorithm.options) : "";
}

}  // namespace

template <class Scalar>
void require_sensible_run(const RunSettings& settings, const MethodInfo& method,
                          const Problem<Scalar>& problem, const Graph& graph) {
  require_sensible_batch(settings, problem);
  if (settings.run.min_improvement > 0.0 && !settings.run.patience)
    throw Misuse("run.min_improvement", number_text(settings.run.min_improvement),
                 "only run.patience reads it, which is unset; expected both keys or neither");
  if (settings.algorithm.clip && refuses_clipping(method))
    throw Misuse(
        "algorithm.clip", number_text(*settings.algorithm.clip),
        method.name + " takes no clipped gradients: " + method.unclippable_because + "; leave it out");
  require_sensible_local_steps(settings, problem);
  require_possible_evaluation(settings, problem);
  check_failure_rules(settings, method, graph);
  require_fitting_regularizer(settings, method, problem);
}

template <class Scalar>
void require_divisible_steps(const RunSettings& settings, const StepSize& step_size,
                             std::uint64_t iterations) {
  const auto is_zero = [&](std::uint64_t iteration) {
    return static_cast<Scalar>(step_size.at(iteration)) == 0;
  };
  const std::string divides = divides_by_step(settings.algorithm);
  if (divides.empty() || iterations == 0 || !is_zero(iterations)) return;
  // No schedule leaves 0 again.
  std::uint64_t above = 0, zero = iterations;
  while (zero - above > 1) {
    const std::uint64_t between = above + (zero - above) / 2;
    (is_zero(between) ? zero : above) = between;
  }
  throw Misuse("algorithm.step_schedule", settings.algorithm.step_schedule,
               divides + " divides by the step size, which is 0 from iteration " + std::to_string(zero) +
                   " on; expected one that ends above 0, such as cosine(T, 0.01), or fewer iterations");
}

void require_links_in_use(const RunSettings& settings, const Graph& graph, const MixingMatrix& mixing,
                          const std::function<bool(PeerId from, PeerId to)>& may_send) {
  for (const LinkOverride& link : settings.link_overrides) {
    if (mixing.mutual() && graph.adjacent(link.from, link.to)) continue;
    if (!may_send(link.from, link.to))
      throw Misuse("network.link", "from " + std::to_string(link.from) + " to " + std::to_string(link.to),
                   "expected two neighbors of the topology");
  }
}

void require_known_evaluations(const RunSettings& settings, const MethodInfo& method, bool lead_is_bounded) {
  if (!settings.run.evaluates_by_time()) return;
  const auto refuse = [&](const std::string& why) {
    throw Misuse("run.evaluate_every", evaluate_every_text(settings.run),
                 why + "; expected a number of iterations");
  };
  if (method.asynchronous)
    refuse("in " + method.name + ", an asynchronous method, only evaluations keep peers together");
  if (settings.topology.rounds_close())
    refuse("with topology.round_deadline only evaluations keep workers and hub together");
  if (settings.failure.drops())
    refuse("with failure.policy = \"drop\" peers come back at an evaluation that is known beforehand");
  if (settings.run.keep_models.every != 0)
    refuse("run.keep_models keeps the models of evaluations whose iterations are known beforehand");
  if (settings.failure.checkpoint_period != Duration{0})
    refuse(
        "failure.checkpoint_every is a time, too, and is counted in iterations from the first evaluation on");
  if (settings.failure.keeps_checkpoints() && !lead_is_bounded)
    refuse(
        "peers whose links change may be any number of iterations apart between two evaluations, and would "
        "keep every checkpoint (failure.checkpoint_every = 0 keeps none)");
}

#define HEARSAY_SENSIBLE_RUN(Scalar)                                                                \
  template void require_sensible_run(const RunSettings&, const MethodInfo&, const Problem<Scalar>&, \
                                     const Graph&);                                                 \
  template void require_divisible_steps<Scalar>(const RunSettings&, const StepSize&, std::uint64_t);
HEARSAY_SENSIBLE_RUN(float)
HEARSAY_SENSIBLE_RUN(double)
#undef HEARSAY_SENSIBLE_RUN

}  // namespace hearsay
