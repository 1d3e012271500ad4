#include "tests/methods/laws.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/methods/method_variants.hpp"
#include "tests/methods/replica_law.hpp"
#include "tests/methods/restart_law.hpp"
#include "tests/methods/stacked.hpp"
#include "tests/support/cluster.hpp"

namespace hearsay::test {

namespace {

template <class Scalar>
constexpr double rounding = std::is_same_v<Scalar, float> ? 1e-5 : 1e-12;

/// Returns the size of a model. In small worlds it is two buckets of 512 coordinates and part of a third,
/// with a tail that fills no SIMD register. In others, where that would take minutes, part of one bucket.
Index dimension_in(const World& world) {
  const bool is_small = world.peers <= (world.links_fixed() ? 3 : 5);
  return is_small ? 1099 : 99;
}

template <class... Parts>
Violation broken(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

bool compresses(const MethodInfo& method) { return method.compressor != CompressorNeed::none; }

/// True if the bits are equal. Compares digests, as the runtime does; -0 differs from 0.
template <class Scalar>
bool same_bits(const Vector<Scalar>& a, const Vector<Scalar>& b) {
  return digest(a) == digest(b);
}

/// Returns where two recordings first differ in a model, as "peer 3 after iteration 5". Empty if they do not.
template <class Scalar>
Violation first_difference(const Recording<Scalar>& a, const Recording<Scalar>& b) {
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t i = 0; i < a[t].size(); ++i)
      if (!same_bits(a[t][i].model, b[t][i].model)) return broken("peer ", i, " after iteration ", t);
  return "";
}

/// Returns the largest difference of an entry of two runs, relative to the largest entry.
template <class Scalar>
double relative_distance(const Recording<Scalar>& a, const Recording<Scalar>& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t i = 0; i < a[t].size(); ++i) {
      difference = std::max<double>(difference, (a[t][i].model - b[t][i].model).cwiseAbs().maxCoeff());
      size = std::max<double>(size, a[t][i].model.cwiseAbs().maxCoeff());
    }
  return difference / size;
}

template <class Scalar>
Violation stacked_with(const MethodInfo& method, const World& world, Plan plan) {
  // What a hub says is not replayed, and in float a rounding of it flips now and then.
  if (std::is_same_v<Scalar, float> && method.options.has(option::down_compressor))
    plan.options.set(option::down_compressor, "none");
  const auto experiment =
      plan.batch ? regressions_in<Scalar>(world, method.name, plan, dimension_in(world))
                 : quadratics_in<Scalar>(world, method.name, plan, Shared::nothing, dimension_in(world));
  const StackedComparison found = compare_with_stacked(experiment, record_run(experiment));
  if (!found.known) return "the stacked reference has no recursion for " + method.name;
  // A rounding flips if a difference of one part in 1e16 (float: 1e7) crosses a threshold. If the packet was
  // not recorded, it cannot be replayed. A flip then is a step of the quantizer, a few thousandths of the
  // largest entry.
  const bool in_float = std::is_same_v<Scalar, float>;
  const bool strays = in_float && !found.replayed && plan.compressor != "none";
  // A step that is divided by roots of squares has the relative error of its smallest gradients.
  const std::string optimizer = experiment.settings.algorithm.options.find(option::optimizer).value_or("sgd");
  const bool divides = method.name.ends_with("adagrad") || optimizer.starts_with("ad");
  const double tolerance = strays ? 0.02 : (in_float && divides ? 10 : 1) * rounding<Scalar>;
  if (found.deviation > tolerance)
    return broken("with ", plan.compressor, ", feedback ", plan.feedback, " the models deviate by ",
                  found.deviation);
  if (found.flips > (in_float ? 0.01 : 0.0))
    return broken("with ", plan.compressor, " a share of ", found.flips,
                  " of what was said is something else");
  return "";
}

template <class Scalar>
Violation stacked_equality(const MethodInfo& method, const World& world) {
  std::vector<Plan> plans = {{.compressor = "none"}};
  if (compresses(method)) plans.push_back({.compressor = lossy_compressor(method)});
  if (method.options.has(option::feedback))
    for (const char* feedback : {"ef", "low-pass(0.1)", "dgd-def"}) {
      plans.push_back({.compressor = lossy_compressor(method), .feedback = feedback});
      plans.push_back({.compressor = "topk(10%)", .feedback = feedback, .step_schedule = "inverse-sqrt"});
    }
  const std::string usual = plans.back().compressor;
  for (const MethodOptions& options : variants_of(method, world))
    // The step size is small: with momentum or several local steps neighbors must stay within the reach of
    // moniqua.
    plans.push_back({.compressor = reads_near(options) ? lossy_compressor(method, options) : usual,
                     .step_size = 0.02,
                     .options = options});
  if (method.options.has(option::optimizer))
    plans.push_back({.compressor = usual,
                     .step_size = 0.02,
                     .step_schedule = "inverse-sqrt",
                     .options = two_steps(method, "adagrad-da(0.5)")});
  if (!compresses(method) || method.pattern.has_hub)
    plans.push_back({.compressor = lossy_compressor(method), .step_schedule = "inverse-sqrt"});
  if (method.composite) {
    for (std::size_t k = 0, count = plans.size(); k < count; ++k) {
      plans.push_back(plans[k]);
      plans.back().regularizer = "l1(0.3)";
    }
  }
  for (Plan plan : plans)
    for (const std::uint64_t restart_every : {0, 5})
      for (const std::optional<std::uint64_t> batch : {std::optional<std::uint64_t>(), {3}}) {
        if (restart_every != 0 && !method.options.has(option::restart_every)) continue;
        plan.restart_every = restart_every;
        plan.batch = batch;
        if (const Violation violation = stacked_with<Scalar>(method, world, plan); !violation.empty())
          return violation;
      }
  return "";
}

template <class Scalar>
Violation any_order(const MethodInfo& method, const World& world) {
  const auto experiment = quadratics_in<Scalar>(world, method.name, {});
  const auto first = record_run(experiment, 1);
  for (const std::uint64_t order : {2, 3, 4})
    if (const Violation where = first_difference(first, record_run(experiment, order)); !where.empty())
      return "another order of delivery changes " + where;
  return "";
}

std::vector<NetworkSettings> networks() {
  using namespace std::chrono_literals;
  NetworkSettings jittery;
  jittery.latency = 1ms;
  jittery.jitter = 50ms;
  jittery.message_loss = 0.3;
  NetworkSettings asymmetric;
  asymmetric.bandwidth_up = {1e4};
  asymmetric.bandwidth_down = {3e3};
  NetworkSettings busy;
  busy.compute = {ComputeTime::Kind::lognormal, 20ms, 1.5};
  busy.jitter = 20ms;
  return {jittery, asymmetric, busy};
}

template <class Scalar>
Violation any_network(const MethodInfo& method, const World& world) {
  auto experiment = quadratics_in<Scalar>(world, method.name, {});
  const auto expected = models_of(record_run(experiment).back());
  for (const NetworkSettings& network : networks()) {
    experiment.settings.network = network;
    // One peer is slower than the others.
    experiment.settings.peer_networks[world.peers - 1] = network;
    experiment.settings.peer_networks[world.peers - 1].bandwidth_up = {500.0};
    const auto outcome = simulate(experiment, Duration{1000});
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (outcome.peers[i].model_digest != digest(expected[i]))
        return broken("the network changes the model of peer ", i);
  }
  return "";
}

/// Every registered compressor, by the example in the registry.
std::vector<std::string> compressors() {
  std::vector<std::string> all;
  for (const CompressorName& entry : compressor_names()) all.emplace_back(entry.example);
  return all;
}

template <class Scalar>
Violation stays_with(const MethodInfo& method, const World& world,
                     const std::vector<std::string>& compressors) {
  auto experiment = quadratics_in<Scalar>(world, method.name, {.compressor = "none"}, Shared::minimiser);
  if (method.options.has(option::rounds))
    experiment.settings.algorithm.options.set(option::rounds, 1);  // not all can be repeated
  for (const std::string& compressor : compressors) {
    experiment.settings.algorithm.compressor = compressor;
    for (const auto& peers : record_run(experiment))
      for (const PeerRecord<Scalar>& peer : peers)
        if (!same_bits(peer.model, experiment.problem.initial)) return "with " + compressor + " it leaves";
  }
  return "";
}

template <class Scalar>
Violation stays_uncompressed(const MethodInfo& method, const World& world) {
  return stays_with<Scalar>(method, world, {"none"});
}

template <class Scalar>
Violation stays_compressed(const MethodInfo& method, const World& world) {
  return stays_with<Scalar>(method, world, compressors());
}

/// Returns the mean that the method conserves: of the models or, in a push-sum method, of their numerators
/// (model times weight). With a hub it is the hub's model.
template <class Scalar>
Vector<double> conserved_mean(const MethodInfo& method, std::vector<PeerRecord<Scalar>> peers) {
  if (method.pattern.has_hub) return peers.front().model.template cast<double>();
  if (method.push_sum)
    for (PeerRecord<Scalar>& peer : peers) peer.model *= peer.states.at("weight")[0];
  return mean_in_double(peers);
}

template <class Scalar>
Violation mean_moves_with(const MethodInfo& method, const World& world, const std::string& compressor) {
  // The gradients of those that take part are not the mean gradient where memories stand for the others.
  if (method.pattern.has_hub && world.participation < 1.0) return "";
  const Plan plan{.compressor = compressor, .options = plain_steps(method)};
  const auto experiment = quadratics_in<Scalar>(world, method.name, plan);
  const auto recording = record_run(experiment);
  for (std::size_t t = 1; t < recording.size(); ++t) {
    Vector<double> expected = conserved_mean(method, recording[t - 1]);
    for (PeerId i = 0; i < world.peers; ++i) {
      if (!method.counts_rounds && !experiment.schedule->row(i, t - 1).participates) continue;
      Vector<Scalar> gradient(experiment.problem.dimension());
      const Index sample = 0;
      const PeerId at = method.pattern.has_hub ? 0 : i;  // the workers hear the hub's model first
      experiment.problem.objectives[i]->gradient(recording[t - 1][at].model, {&sample, 1}, gradient);
      expected -= plan.step_size / world.peers * gradient.template cast<double>();
    }
    const double off = (conserved_mean(method, recording[t]) - expected).cwiseAbs().maxCoeff();
    if (off > rounding<Scalar>)
      return broken("with ", compressor, " the mean is off by ", off, " in iteration ", t);
  }
  return "";
}

template <class Scalar>
Violation mean_moves_uncompressed(const MethodInfo& method, const World& world) {
  return mean_moves_with<Scalar>(method, world, "none");
}

template <class Scalar>
Violation mean_moves_compressed(const MethodInfo& method, const World& world) {
  return mean_moves_with<Scalar>(method, world, lossy_compressor(method));
}

template <class Scalar>
Violation replicas_equal_owners(const MethodInfo& method, const World& world) {
  auto experiment = quadratics_in<Scalar>(world, method.name, {}, Shared::nothing, dimension_in(world));
  for (const std::string& compressor : compressors())
    for (const std::uint64_t restart_every : {0, 5}) {
      if (restart_every != 0 && !method.options.has(option::restart_every)) continue;
      experiment.settings.algorithm.compressor = compressor;
      if (restart_every != 0) experiment.settings.algorithm.options.set(option::restart_every, restart_every);
      if (const Violation violation = replica_violation(experiment); !violation.empty()) return violation;
    }
  return "";
}

template <class Scalar>
Violation models_identical(const MethodInfo& method, const World& world) {
  const auto recording = record_run(quadratics_in<Scalar>(world, method.name, {}));
  for (std::size_t t = 0; t < recording.size(); ++t)
    for (std::size_t i = 0; i < recording[t].size(); ++i)
      if (!same_bits(recording[t][i].model, recording[t][0].model))
        return broken("peers 0 and ", i, " differ after iteration ", t);
  return "";
}

/// Returns a run of one peer on the objective of peer `id`.
template <class Scalar>
Recording<Scalar> run_alone(const MethodInfo& method, PeerId id, const MethodOptions& options) {
  const World alone{"ring", 1};
  return record_run(
      prepare<Scalar>(settings_of(method.name, alone, {.compressor = "none", .options = options}),
                      quadratic_problem<Scalar>(19, {id}, Shared::nothing)));
}

/// x <- x - eta grad f(x)
template <class Scalar>
Recording<Scalar> plain_sgd(PeerId id, std::uint64_t iterations, double step_size) {
  const auto problem = quadratic_problem<Scalar>(19, {id}, Shared::nothing);
  Recording<Scalar> recording(iterations + 1, std::vector<PeerRecord<Scalar>>(1));
  Vector<Scalar> x = problem.initial;
  Vector<Scalar> gradient(x.size());
  for (auto& peers : recording) {
    peers[0].model = x;
    const Index sample = 0;
    problem.objectives[0]->gradient(x, {&sample, 1}, gradient);
    x -= static_cast<Scalar>(step_size) * gradient;
  }
  return recording;
}

template <class Scalar>
Violation alone_is_sgd_in_bits(const MethodInfo& method, const World& world) {
  for (PeerId id = 0; id < world.peers; ++id)
    if (const Violation where = first_difference(run_alone<Scalar>(method, id, plain_steps(method)),
                                                 plain_sgd<Scalar>(id, 12, 0.1));
        !where.empty())
      return "not plain SGD: " + where;
  return "";
}

template <class Scalar>
Violation alone_is_sgd(const MethodInfo& method, const World& world) {
  for (PeerId id = 0; id < world.peers; ++id) {
    const double off =
        relative_distance(run_alone<Scalar>(method, id, plain_steps(method)), plain_sgd<Scalar>(id, 12, 0.1));
    if (off > rounding<Scalar>) return broken("off by ", off, " from plain SGD");
  }
  return "";
}

template <class Scalar>
Violation silence_is_separate_runs(const MethodInfo& method, const World& world) {
  auto experiment = quadratics_in<Scalar>(world, method.name, {.compressor = "none"});
  experiment.schedule = std::make_shared<Silence>(world.peers);
  const auto together = record_run(experiment);
  for (PeerId id = 0; id < world.peers; ++id) {
    const auto alone = run_alone<Scalar>(method, id, {});
    for (std::size_t t = 0; t < together.size(); ++t)
      if (!same_bits(together[t][id].model, alone[t][0].model))
        return broken("peer ", id, " after iteration ", t, " is not what it is alone");
  }
  return "";
}

template <class Scalar>
Violation uncompressed_is_d_psgd(const MethodInfo& method, const World& world) {
  const Plan plan{.compressor = "none", .options = plain_steps(method)};
  const double off =
      relative_distance(record_run(quadratics_in<Scalar>(world, method.name, plan)),
                        record_run(quadratics_in<Scalar>(world, "d-psgd", {.compressor = "none"})));
  // Each of 12 iterations adds a few roundings, and ECD multiplies one by t/2 before it divides by it.
  if (off > rounding<Scalar>) return broken("off by ", off, " from D-PSGD");
  return "";
}

/// True if two messages of one peer and iteration rightly are, or are not, one packet. Messages of one slot
/// are one packet; messages of different slots are not. If links change and replicas catch up, messages of
/// one slot may differ.
template <class Scalar>
bool rightly_shared(const Outgoing& a, const Outgoing& b, bool catches_up) {
  const bool shared = a.packet == b.packet;
  if (a.key.slot != b.key.slot || !catches_up) return shared == (a.key.slot == b.key.slot);
  return shared || !std::ranges::equal(a.packet->bytes(), b.packet->bytes());
}

template <class Scalar>
Violation encoded_once(const MethodInfo& method, const World& world) {
  const auto experiment = quadratics_in<Scalar>(world, method.name, {});
  for (const auto& peers : record_run(experiment))
    for (const PeerRecord<Scalar>& peer : peers)
      for (const Outgoing& a : peer.sent)
        for (const Outgoing& b : peer.sent)
          if (!rightly_shared<Scalar>(
                  a, b, experiment.schedule->period() != 1 && (peer.published || method.pattern.has_hub)))
            return broken("iteration ", a.key.iteration, ", slots ", a.key.slot, " and ", b.key.slot);
  return "";
}

}  // namespace

#define HEARSAY_LAW(claim, law) \
  Law { claim, law<float>, law<double> }

std::span<const Law> laws() {
  static const std::array all = {
      HEARSAY_LAW("the run equals the matrix recursion", stacked_equality),
      HEARSAY_LAW("any order of delivery gives the same bits", any_order),
      HEARSAY_LAW("any network gives the same bits", any_network),
      HEARSAY_LAW("uncompressed, it stays at the common minimiser", stays_uncompressed),
      HEARSAY_LAW("compressed, it stays at the common minimiser", stays_compressed),
      HEARSAY_LAW("uncompressed, the mean moves by the mean gradient", mean_moves_uncompressed),
      HEARSAY_LAW("compressed, the mean moves by the mean gradient", mean_moves_compressed),
      HEARSAY_LAW("every replica equals its owner", replicas_equal_owners),
      HEARSAY_LAW("all models are identical", models_identical),
      HEARSAY_LAW("alone it is plain SGD, bit for bit", alone_is_sgd_in_bits),
      HEARSAY_LAW("alone it is plain SGD, to rounding", alone_is_sgd),
      HEARSAY_LAW("peers that hear nobody are separate runs", silence_is_separate_runs),
      HEARSAY_LAW("uncompressed, it is D-PSGD", uncompressed_is_d_psgd),
      HEARSAY_LAW("a packet is encoded once for all its receivers", encoded_once),
      HEARSAY_LAW("saved at a boundary and restored, it goes on as it had", restart_violation),
  };
  return all;
}

#undef HEARSAY_LAW

}  // namespace hearsay::test
