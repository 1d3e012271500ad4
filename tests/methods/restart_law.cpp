#include "tests/methods/restart_law.hpp"

#include <sstream>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/checkpoint/saved_cluster.hpp"
#include "tests/methods/method_variants.hpp"

namespace hearsay::test {

namespace {

constexpr std::uint64_t checkpoint_every = 3;
const std::string divergence = "it diverged";

std::string text_of(const MessageKey& key) {
  return "iteration " + std::to_string(key.iteration) + ", slot " + std::to_string(key.slot);
}

/// Returns the first difference between the messages of a life after `iteration`, and those of the life that
/// was restored there. Empty if there is none.
std::string said_otherwise(const Life& life, const Life& later, std::uint64_t iteration) {
  const auto since = [&](const std::vector<Outgoing>& all) {
    std::vector<Outgoing> sent;
    for (const Outgoing& message : all)
      if (message.key.iteration > iteration) sent.push_back(message);
    return sent;
  };
  const std::vector<Outgoing> expected = since(life.sent);
  const std::vector<Outgoing> found = since(later.sent);
  if (expected.size() != found.size()) return "another number of messages";
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (expected[k].to != found[k].to || expected[k].key != found[k].key ||
        !std::ranges::equal(expected[k].packet->bytes(), found[k].packet->bytes()))
      return "another message in " + text_of(expected[k].key);
  return "";
}

template <class Scalar>
std::string ended_otherwise(Peer<Scalar>& expected, const Life& life, Peer<Scalar>& later,
                            const Life& later_life, std::uint64_t iteration) {
  if (const std::string said = said_otherwise(life, later_life, iteration); !said.empty()) return said;
  if (expected.iteration() != later.iteration()) return "another end";
  if (digest(expected.model()) != digest(later.model())) return "another model";
  const StateDigests a = expected.digests();
  const StateDigests b = later.digests();
  if (a.published != b.published || a.replicas != b.replicas || a.told != b.told) return "other digests";
  for (const auto& [boundary, image] : life.images) {
    if (boundary <= iteration) continue;
    const auto found = later_life.images.find(boundary);
    if (found == later_life.images.end()) return "no image after iteration " + std::to_string(boundary);
  }
  const Image& last = life.images.rbegin()->second;
  const Image& later_last =
      later_life.images.empty() ? life.images.at(iteration) : later_life.images.rbegin()->second;
  if (without_what_came(last) != without_what_came(later_last)) return "another last image";
  for (const std::uint64_t evaluated : life.evaluated)
    if (evaluated >= iteration &&
        std::ranges::find(later_life.evaluated, evaluated) == later_life.evaluated.end())
      return "no evaluation after iteration " + std::to_string(evaluated);
  return "";
}

/// The same for peer `id` alone, restored from its image and the messages that it has heard since.
template <class Scalar>
std::string alone_otherwise(const Experiment<Scalar>& experiment, SavedCluster<Scalar>& cluster, PeerId id,
                            std::uint64_t iteration) {
  PacketPool packets;
  const Life& life = cluster.lives()[id];
  const auto peer =
      reborn(experiment, id, packets, checkpoint_every, life.images.at(iteration), InboxOnRestore::keep);
  if (!peer) return "its image does not fit";
  Life later;
  peer->start();
  settle(*peer, later);
  for (std::size_t k = life.since.at(iteration); k < life.heard.size(); ++k) {
    hear(*peer, life.heard[k]);
    settle(*peer, later);
  }
  return ended_otherwise(cluster.peer(id), life, *peer, later, iteration);
}

template <class Scalar>
Experiment<Scalar> experiment_with(const MethodInfo& method, const World& world, const Plan& plan) {
  auto experiment = regressions_in<Scalar>(world, method.name, plan, 37);
  experiment.settings.run.evaluate_every = 2;
  return experiment;
}

template <class Scalar>
std::string described(const Experiment<Scalar>& experiment) {
  const auto& algorithm = experiment.settings.algorithm;
  std::string text = "with " + algorithm.compressor;
  if (algorithm.options.has(option::optimizer)) text += ", " + algorithm.options[option::optimizer];
  if (algorithm.options.has(option::estimator)) text += ", " + algorithm.options[option::estimator];
  if (algorithm.options.has(option::feedback)) text += ", " + algorithm.options[option::feedback];
  return text;
}

}  // namespace

template <class Scalar>
std::string restart_violation(const Experiment<Scalar>& experiment) {
  SavedCluster<Scalar> cluster(experiment, checkpoint_every, 1);
  cluster.run();
  if (cluster.diverged()) return divergence;
  for (const auto& [iteration, image] : cluster.lives()[0].images) {
    const std::string after =
        described(experiment) + " after iteration " + std::to_string(iteration) + ": peer ";
    SavedCluster<Scalar> restored(experiment, checkpoint_every, iteration, cluster.lives(), iteration);
    restored.run();
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      const std::string together = ended_otherwise(cluster.peer(id), cluster.lives()[id], restored.peer(id),
                                                   restored.lives()[id], iteration);
      if (!together.empty()) return after + std::to_string(id) + ", restored with all: " + together;
    }
    const PeerId id = static_cast<PeerId>(iteration % experiment.peer_count());
    const std::string alone = alone_otherwise(experiment, cluster, id, iteration);
    if (!alone.empty()) return after + std::to_string(id) + ", restored alone: " + alone;
  }
  return "";
}

template <class Scalar>
std::string restart_violation(const MethodInfo& method, const World& world) {
  std::vector<Plan> plans;
  const auto with = [&](Plan plan) {
    plan.batch = 3;
    plan.step_size = 0.02;  // small: with momentum or local steps neighbors stay within moniqua's reach
    plan.iterations = 11;
    plans.push_back(std::move(plan));
  };
  with({.compressor = lossy_compressor(method)});
  const std::string usual = plans.front().compressor;
  for (const MethodOptions& options : variants_of(method, world))
    with({.compressor = lossy_compressor(method, options), .options = options});
  if (method.options.has(option::optimizer))
    for (const Choice& choice : local_optimizer_choices())
      with({.compressor = usual, .options = two_steps(method, choice.name)});
  if (method.options.has(option::feedback))
    for (const char* feedback : {"none", "ef", "low-pass(0.1)", "dgd-def"})
      with({.compressor = "topk(10%)", .feedback = feedback, .step_schedule = "inverse-sqrt"});
  if (method.options.has(option::restart_every)) with({.compressor = usual, .restart_every = 5});
  if (method.composite) with({.compressor = usual, .regularizer = "l1(0.3)"});
  for (const Plan& plan : plans)
    if (const std::string violation = restart_violation(experiment_with<Scalar>(method, world, plan));
        !violation.empty())
      return violation;
  // Every compressor, even those that do not suit the method. A few peers are enough for that.
  if (method.compressor == CompressorNeed::none || world.peers > 5) return "";
  auto experiment = experiment_with<Scalar>(method, world, plans.front());
  for (const CompressorName& name : compressor_names()) {
    const auto compressor =
        make_compressor<Scalar>(std::string(name.example), experiment.problem.objectives.front()->segments());
    if (method.options.has(option::rounds) && compressor->shared_selection())
      continue;  // it cannot be repeated
    experiment.settings.algorithm.compressor = name.example;
    if (const std::string violation = restart_violation(experiment);
        !violation.empty() && violation != divergence)
      return violation;
  }
  return "";
}

template std::string restart_violation<float>(const Experiment<float>&);
template std::string restart_violation<double>(const Experiment<double>&);
template std::string restart_violation<float>(const MethodInfo&, const World&);
template std::string restart_violation<double>(const MethodInfo&, const World&);

}  // namespace hearsay::test
