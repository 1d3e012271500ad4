#include "tests/methods/method_variants.hpp"

#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/demo.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/ef21.hpp"
#include "algorithms/methods/fed_avg.hpp"
#include "algorithms/methods/fed_vote.hpp"
#include "algorithms/methods/gas_loc.hpp"
#include "algorithms/methods/local_sgd.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "algorithms/methods/streaming_diloco.hpp"

namespace hearsay::test {

namespace {

std::vector<MethodOptions> variants_of_dpsvrg(const World& world) {
  std::vector<MethodOptions> variants = {
      {{option::inner_length, 2}, {option::inner_growth, 1.3}, {option::snapshot, "average"}},
      {{option::inner_length, 3},
       {option::inner_growth, 1.0},
       {option::consensus, "2"},
       {option::prox_order, "prox-then-mix"}},
      {{option::inner_length, 1}, {option::inner_growth, 2.0}, {option::consensus, "k"}},
      {{option::estimator, "saga"}, {option::consensus, "2"}},
      {{option::estimator, "loopless-svrg"}, {option::inner_length, 3}, {option::consensus, "2"}}};
  if (world.links_fixed())
    variants.push_back({{option::inner_length, 4},
                        {option::inner_growth, 1.0},
                        {option::consensus, "3"},
                        {option::gossip, "chebyshev"}});
  return variants;
}

std::vector<MethodOptions> variants_of_streaming_diloco() {
  const std::string momentum = "heavy-ball(0.5)";
  return {
      {{option::local_steps, 4}, {option::outer, "none(0.6)"}, {option::fragments, 1}, {option::overlap, 0}},
      {{option::local_steps, 4},
       {option::outer, "heavy-ball(0.8, 0.5)"},
       {option::fragments, 2},
       {option::overlap, 1}},
      {{option::local_steps, 6},
       {option::outer, "slowmo(0.8, 0.5)"},
       {option::fragments, 2},
       {option::overlap, 2}},
      {{option::optimizer, momentum},
       {option::local_steps, 3},
       {option::fragments, 3},
       {option::overlap, 0},
       {option::own_share, 0.25}},
      {{option::optimizer, momentum},
       {option::local_steps, 4},
       {option::fragments, 1},
       {option::overlap, 3},
       {option::own_share, 1.0}}};
}

/// Methods without a common model have one momentum each, or none.
bool takes(const MethodInfo& method, const std::string& outer) {
  if (method.name == "gas-loc") return outer == "none" || outer == "nesterov";
  if (method.name == "k-gt" || method.name == "scaffold") return outer == "none";
  if (method.name == "noloco") return outer == "none" || outer == "heavy-ball";
  return true;
}

using Variants = std::vector<MethodOptions>;

/// What a peer does between two messages, and with their sum.
void add_local_variants(const MethodInfo& method, Variants& variants) {
  if (method.options.has(option::consensus_step))
    variants.push_back({{option::consensus_step, method.options[option::consensus_step] / 2}});
  if (method.options.has(option::local_steps)) variants.push_back({{option::local_steps, 3}});
  if (method.options.has(option::optimizer)) variants.push_back({{option::optimizer, "heavy-ball(0.5)"}});
  if (method.options.has(option::optimizer) && method.options.has(option::local_steps)) {
    variants.push_back({{option::optimizer, "heavy-ball(0.5)"}, {option::local_steps, 2}});
    variants.push_back({{option::optimizer, "adamw(0.5, 0.75, 0.25)"}, {option::local_steps, 2}});
  }
  if (method.options.has(option::inner_state))
    for (const std::string policy : {"reset", "average"})
      variants.push_back(
          {{option::optimizer, "heavy-ball(0.5)"}, {option::local_steps, 2}, {option::inner_state, policy}});
  if (method.options.has(option::reduce)) variants.push_back({{option::reduce, "doubling"}});
  if (method.options.has(option::outer))
    for (const std::string rule : {"none", "heavy-ball", "nesterov", "slowmo"})
      if (takes(method, rule))
        variants.push_back({{option::outer, rule + (rule == "none" ? "(0.6)" : "(0.8, 0.5)")}});
  if (method.options.has(option::error_decay)) {
    variants.push_back({{option::error_decay, 1.0}});
    if (method.options.has(option::local_steps)) variants.back().set(option::local_steps, 2);
  }
}

void add_stale_variants(const MethodInfo& method, const World& world, Variants& variants) {
  if (method.options.has(option::staleness) && world.links_fixed()) {
    variants.push_back({{option::staleness, 1}});
    variants.push_back({{option::consensus_step, 0.3},
                        {option::optimizer, "heavy-ball(0.5)"},
                        {option::local_steps, 2},
                        {option::staleness, 3}});
  }
}

/// What is remembered of what was sent, and how much of it.
void add_memory_variants(const MethodInfo& method, Variants& variants) {
  if (method.options.has(option::momentum)) {
    variants.push_back({{option::momentum, 0.0}});
    variants.push_back({{option::momentum, 0.5}});
  }
  if (method.options.has(option::memory_step)) {
    variants.push_back({{option::memory_step, "0"}});
    variants.push_back({{option::memory_step, "0.25"}});
  }
  if (method.options.has(option::down_memory_step)) variants.push_back({{option::down_memory_step, "1"}});
  if (method.options.has(option::down_compressor)) variants.push_back({{option::down_compressor, "none"}});
  if (method.options.has(option::damping) && method.pattern.has_hub)
    variants.push_back({{option::damping, 0.5}});
  if (method.options.has(option::control)) variants.push_back({{option::control, 0.0}});
  if (method.options.has(option::rounds))
    variants.push_back({{option::error_decay, 0.5}, {option::rounds, 2}});
  if (method.options.has(option::threshold))
    for (const std::string threshold : {"0", "1"}) variants.push_back({{option::threshold, threshold}});
}

/// The number of steps or rounds, worker by worker or of a phase.
void add_round_variants(const MethodInfo& method, const World& world, Variants& variants) {
  if (method.options.has(option::worker_steps)) {
    std::string steps;
    for (PeerId id = 0; id < world.peers; ++id)
      steps += (steps.empty() ? "" : ", ") + std::to_string(1 + id % 3);
    variants.push_back({{option::worker_steps, steps}});
    variants.push_back({{option::optimizer, "heavy-ball(0.5)"}, {option::worker_steps, steps}});
  }
  if (method.options.has(option::dense_rounds)) variants.push_back({{option::dense_rounds, 3}});
  if (method.options.has(option::dense_rounds) && method.options.has(option::rank))
    variants.push_back({{option::rank, 2}, {option::dense_rounds, 2}});
}

void add_federated_variants(const MethodInfo& method, Variants& variants) {
  if (method.options.has(option::vote)) {
    variants.push_back({{option::vote, "ternary"}});
    variants.push_back({{option::trust, "votes"}});
    variants.push_back({{option::optimizer, "heavy-ball(0.5)"},
                        {option::local_steps, 2},
                        {option::vote, "ternary"},
                        {option::trust, "votes"}});
  }
  if (method.options.has(option::predictors)) {
    variants.push_back({{option::predictors, "last"}});
    variants.push_back(
        {{option::predictors, "mean3, ema"}, {option::rate_weight, 1e-3}, {option::quantizers, 3}});
  }
  if (method.options.has(option::proximal))
    variants.push_back({{option::local_steps, 3}, {option::proximal, 0.5}});
}

void add_form_variants(const MethodInfo& method, const World& world, Variants& variants) {
  for (const TextOption* const row : {&option::signs, &option::memories, &option::mixes})
    if (method.options.has(*row))
      for (const std::string& choice : std::get<OptionRow::Text>(row->values).choices)
        variants.push_back({{*row, choice}});
  for (const std::string& order : method.orders) {
    if (order == "pipelined" && !world.links_fixed()) continue;
    variants.push_back({{option::order, order}});
    if (method.options.has(option::local_steps))
      variants.push_back({{option::local_steps, 2}, {option::order, order}});
  }
}

/// What a method does with replicas: how it keeps them, whether it sends, and against what it encodes.
void add_replica_variants(const MethodInfo& method, const World& world, Variants& variants) {
  if (method.options.has(option::memory) && world.links_fixed())
    variants.push_back({{option::memory, "aggregate"}});
  if (method.options.has(option::trigger)) variants.push_back({{option::trigger, 30.0}});
  if (method.options.has(option::side_information))
    variants.push_back({{option::side_information, "replica"}});
  if (method.options.has(option::side_information) && world.links_fixed()) {
    variants.push_back({{option::side_information, "last"}});
    variants.push_back({{option::side_information, "mean"}});
    if (method.options.has(option::local_steps)) variants.back().set(option::local_steps, 2);
    if (method.options.has(option::trigger))
      variants.push_back({{option::trigger, 30.0}, {option::side_information, "last"}});
  }
  if (method.options.has(option::memory) && method.options.has(option::trigger) && world.links_fixed())
    variants.push_back({{option::trigger, 30.0}, {option::memory, "aggregate"}});
}

}  // namespace

std::vector<MethodOptions> variants_of(const MethodInfo& method, const World& world) {
  if (method.name == "dpsvrg") return variants_of_dpsvrg(world);
  if (method.name == "streaming-diloco") return variants_of_streaming_diloco();
  Variants variants;
  add_local_variants(method, variants);
  add_stale_variants(method, world, variants);
  add_memory_variants(method, variants);
  add_round_variants(method, world, variants);
  add_federated_variants(method, variants);
  add_form_variants(method, world, variants);
  add_replica_variants(method, world, variants);
  return variants;
}

bool reads_near(const MethodOptions& options) {
  return options.find(option::side_information).value_or("none") != "none";
}

std::string lossy_compressor(const MethodInfo& method, const MethodOptions& options) {
  return reads_near(options) ? "grid(step=0.004)" : lossy_compressor(method);
}

std::string lossy_compressor(const MethodInfo& method) {
  if (method.compressor == CompressorNeed::none) return "none";
  return method.name == "demo" ? "dct(chunk=4) | chunk-topk(2/4)" : method.default_compressor;
}

MethodOptions two_steps(const MethodInfo& method, const std::string& optimizer) {
  MethodOptions options = {{option::optimizer, optimizer}};
  if (method.options.has(option::local_steps)) options.set(option::local_steps, 2);
  if (method.options.has(option::fragments)) options.set(option::fragments, 2);
  if (method.options.has(option::overlap)) options.set(option::overlap, 0);
  return options;
}

MethodOptions plain_steps(const MethodInfo& method) {
  MethodOptions options;
  if (method.options.has(option::momentum)) options.set(option::momentum, 0.0);
  if (method.options.has(option::local_steps)) options.set(option::local_steps, 1);
  if (method.options.has(option::outer)) options.set(option::outer, "none(1)");
  if (method.options.has(option::fragments)) options.set(option::fragments, 1);
  if (method.options.has(option::overlap)) options.set(option::overlap, 0);
  if (method.options.has(option::optimizer)) options.set(option::optimizer, "sgd");
  if (method.options.has(option::threshold)) options.set(option::threshold, "0");
  if (method.options.has(option::dense_rounds)) options.set(option::dense_rounds, 3);
  if (method.options.has(option::down_compressor)) options.set(option::down_compressor, "none");
  return options;
}

}  // namespace hearsay::test
