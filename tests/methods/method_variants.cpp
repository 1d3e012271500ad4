#include "tests/methods/method_variants.hpp"

#include "algorithms/methods/parts/outer_rule.hpp"

namespace hearsay::test {

namespace {

std::vector<MethodOptions> variants_of_dpsvrg(const World& world) {
  std::vector<MethodOptions> variants = {
      {.inner_length = 2, .inner_growth = 1.3, .snapshot = "average"},
      {.inner_length = 3, .inner_growth = 1.0, .consensus = "2", .prox_order = "prox-then-mix"},
      {.inner_length = 1, .inner_growth = 2.0, .consensus = "k"},
      {.estimator = "saga", .consensus = "2"},
      {.estimator = "loopless-svrg", .inner_length = 3, .consensus = "2"}};
  if (world.links_fixed())
    variants.push_back({.inner_length = 4, .inner_growth = 1.0, .consensus = "3", .gossip = "chebyshev"});
  return variants;
}

std::vector<MethodOptions> variants_of_streaming_diloco() {
  const std::string momentum = "heavy-ball(0.5)";
  return {{.local_steps = 4, .outer = "none(0.6)", .fragments = 1, .overlap = 0},
          {.local_steps = 4, .outer = "heavy-ball(0.8, 0.5)", .fragments = 2, .overlap = 1},
          {.local_steps = 6, .outer = "slowmo(0.8, 0.5)", .fragments = 2, .overlap = 2},
          {.optimizer = momentum, .local_steps = 3, .fragments = 3, .overlap = 0, .own_share = 0.25},
          {.optimizer = momentum, .local_steps = 4, .fragments = 1, .overlap = 3, .own_share = 1.0}};
}

/// Methods without a common model have one momentum each, or none.
bool takes(const MethodInfo& method, const std::string& outer) {
  if (method.name == "gas-loc") return outer == "none" || outer == "nesterov";
  if (method.name == "k-gt" || method.name == "scaffold") return outer == "none";
  if (method.name == "noloco") return outer == "none" || outer == "heavy-ball";
  return true;
}

}  // namespace

std::vector<MethodOptions> variants_of(const MethodInfo& method, const World& world) {
  if (method.name == "dpsvrg") return variants_of_dpsvrg(world);
  if (method.name == "streaming-diloco") return variants_of_streaming_diloco();
  std::vector<MethodOptions> variants;
  if (method.options.consensus_step)
    variants.push_back({.consensus_step = *method.options.consensus_step / 2});
  if (method.options.local_steps) variants.push_back({.local_steps = 3});
  if (method.options.optimizer) variants.push_back({.optimizer = "heavy-ball(0.5)"});
  if (method.options.optimizer && method.options.local_steps) {
    variants.push_back({.optimizer = "heavy-ball(0.5)", .local_steps = 2});
    variants.push_back({.optimizer = "adamw(0.5, 0.75, 0.25)", .local_steps = 2});
  }
  if (method.options.inner_state)
    for (const std::string policy : {"reset", "average"})
      variants.push_back({.optimizer = "heavy-ball(0.5)", .local_steps = 2, .inner_state = policy});
  if (method.options.outer)
    for (const Choice& rule : outer_choices())
      if (takes(method, rule.name))
        variants.push_back({.outer = rule.name + (rule.name == "none" ? "(0.6)" : "(0.8, 0.5)")});
  if (method.options.error_decay) {
    variants.push_back({.error_decay = 1.0});
    if (method.options.local_steps) variants.back().local_steps = 2;
  }
  if (method.options.staleness && world.links_fixed()) {
    variants.push_back({.staleness = 1});
    variants.push_back(
        {.consensus_step = 0.3, .optimizer = "heavy-ball(0.5)", .local_steps = 2, .staleness = 3});
  }
  if (method.options.momentum) {
    variants.push_back({.momentum = 0.0});
    variants.push_back({.momentum = 0.5});
  }
  if (method.options.memory_step) {
    variants.push_back({.memory_step = "0"});
    variants.push_back({.memory_step = "0.25"});
  }
  if (method.options.down_memory_step) variants.push_back({.down_memory_step = "1"});
  if (method.options.down_compressor) variants.push_back({.down_compressor = "none"});
  if (method.options.damping && method.pattern.has_hub) variants.push_back({.damping = 0.5});
  if (method.options.control) variants.push_back({.control = 0.0});
  if (method.options.rounds) variants.push_back({.error_decay = 0.5, .rounds = 2});
  if (method.options.threshold)
    for (const std::string threshold : {"0", "1"}) variants.push_back({.threshold = threshold});
  if (method.options.worker_steps) {
    std::string steps;
    for (PeerId id = 0; id < world.peers; ++id)
      steps += (steps.empty() ? "" : ", ") + std::to_string(1 + id % 3);
    variants.push_back({.worker_steps = steps});
    variants.push_back({.optimizer = "heavy-ball(0.5)", .worker_steps = steps});
  }
  if (method.options.dense_rounds) variants.push_back({.dense_rounds = 3});
  if (method.options.dense_rounds && method.options.rank) variants.push_back({.rank = 2, .dense_rounds = 2});
  if (method.options.vote) {
    variants.push_back({.vote = "ternary"});
    variants.push_back({.trust = "votes"});
    variants.push_back(
        {.optimizer = "heavy-ball(0.5)", .local_steps = 2, .vote = "ternary", .trust = "votes"});
  }
  if (method.options.predictors) {
    variants.push_back({.predictors = "last"});
    variants.push_back({.predictors = "mean3, ema", .rate_weight = 1e-3, .quantizers = 3});
  }
  if (method.options.proximal) variants.push_back({.local_steps = 3, .proximal = 0.5});
  for (const std::string& form : method.forms) {
    if (form == "pipelined" && !world.links_fixed()) continue;
    variants.push_back({.form = form});
    if (method.options.local_steps) variants.push_back({.local_steps = 2, .form = form});
  }
  if (method.options.memory && world.links_fixed()) variants.push_back({.memory = "aggregate"});
  if (method.options.trigger) variants.push_back({.trigger = 30.0});
  if (method.options.side_information) variants.push_back({.side_information = "replica"});
  if (method.options.side_information && world.links_fixed()) {
    variants.push_back({.side_information = "last"});
    variants.push_back({.side_information = "mean"});
    if (method.options.local_steps) variants.back().local_steps = 2;
    if (method.options.trigger) variants.push_back({.trigger = 30.0, .side_information = "last"});
  }
  if (method.options.memory && method.options.trigger && world.links_fixed())
    variants.push_back({.trigger = 30.0, .memory = "aggregate"});
  return variants;
}

bool reads_near(const MethodOptions& options) { return options.side_information.value_or("none") != "none"; }

std::string lossy_compressor(const MethodInfo& method, const MethodOptions& options) {
  return reads_near(options) ? "grid(step=0.004)" : lossy_compressor(method);
}

std::string lossy_compressor(const MethodInfo& method) {
  if (method.compressor == CompressorNeed::none) return "none";
  return method.name == "demo" ? "dct(chunk=4) | chunk-topk(2/4)" : method.default_compressor;
}

MethodOptions two_steps(const MethodInfo& method, const std::string& optimizer) {
  MethodOptions options = {.optimizer = optimizer};
  if (method.options.local_steps) options.local_steps = 2;
  if (method.options.fragments) options.fragments = 2;
  if (method.options.overlap) options.overlap = 0;
  return options;
}

MethodOptions plain_steps(const MethodInfo& method) {
  MethodOptions options;
  if (method.options.momentum) options.momentum = 0.0;
  if (method.options.local_steps) options.local_steps = 1;
  if (method.options.outer) options.outer = "none(1)";
  if (method.options.fragments) options.fragments = 1;
  if (method.options.overlap) options.overlap = 0;
  if (method.options.optimizer) options.optimizer = "sgd";
  if (method.options.threshold) options.threshold = "0";
  if (method.options.dense_rounds) options.dense_rounds = 3;
  if (method.options.down_compressor) options.down_compressor = "none";
  return options;
}

}  // namespace hearsay::test
