#include "tools/advise/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"

namespace hearsay {

namespace {

const std::string bits_8 = "dither(linf, bits=8, bucket=512)";
const std::string bits_4 = "dither(linf, bits=4, bucket=512)";
const std::string bits_2 = "dither(linf, bits=2, bucket=512)";

/// Returns the rows of the most square torus of `peers` peers; 1 if there is no torus.
PeerId rows_of_torus(PeerId peers) {
  auto rows = static_cast<PeerId>(std::sqrt(static_cast<double>(peers)));
  while (rows > 1 && peers % rows != 0) --rows;
  return rows;
}

bool is_among(const std::vector<TopologyChoice>& topologies, const TopologyChoice& one) {
  return std::ranges::any_of(topologies, [&](const TopologyChoice& other) {
    return other.kind == one.kind && other.schedule == one.schedule;
  });
}

bool is_composite(const RunSettings::Model& model) { return model.l1 != 0.0 || model.regularizer != "none"; }

}  // namespace

std::span<const MethodChoice> method_choices() {
  static const std::vector<MethodChoice> choices = {
      {"allreduce-sgd", "none", "averages exactly: no method of plain steps takes fewer iterations", 1.0},
      {"qsgd-allreduce", bits_8, "the same steps, nearly, in a quarter of the bytes", 1.0},
      {"qsgd-allreduce", bits_4, "and in an eighth", 1.0},
      {"d-psgd", "none", "one message a neighbor, none waits for another: for long latencies", 1.0},
      {"d-psgd",
       "none",
       "one message a round, which travels during the gradient: full precision on slow networks",
       1.0,
       {},
       "",
       TopologyChoice{"exponential", "one-peer-exponential", "one neighbor a round, each time another one"}},
      {"dcd-psgd", bits_8, "d-psgd in a quarter of the bytes, on any topology", 1.0},
      {"dcd-psgd", "natural", "as short, and its worst case is no worse than its usual one", 1.0},
      {"dcd-psgd", bits_4, "an eighth of the bytes, if the topology tolerates its noise", 1.0},
      {"ecd-psgd", "grid(0.02)", "models stay exact, and errors never pile up", 1.1},
      {"choco-sgd", "scale{" + bits_2 + "}", "a sixteenth of the bytes on any topology, by smaller steps",
       1.2},
      {"choco-sgd", "topk(10%)", "sends what matters most: for gradients with few large entries", 1.2},
      {"choco-sgd", "topk(1%)", "the fewest bytes of all", 4.0, {{option::consensus_step, 0.05}}},
      {"deep-squeeze", "topk(10%)", "as choco-sgd, without replicas: where there are many neighbors", 4.0},
      {"moniqua", "mod(k=256, step=0.02)", "8 bits without replicas, for models that stay close together",
       1.0},
      {"power-gossip", "none", "low-rank differences: for large matrices", 4.0},
      {"d2", "none", "no bias where peers have different data", 1.0, {}, "lazy"},
      {"gradient-tracking", "none", "the same under varying links, for twice the messages", 1.0},
      {"nids", "none", "as d2, with the step size of one machine, on any weights", 1.0},
      {"extra", "none", "as d2, and models travel during the gradient", 1.0},
      {"k-gt", "none", "no bias where peers have different data, and a fifth of the rounds", 0.4},
      {"led", "none", "the same in one message of half the size", 0.4},
      {"cedas", bits_2, "no bias where peers have different data, in a sixteenth of the bytes", 1.2},
      {"beer", "topk(10%)", "the same with a biased compressor", 1.5},
      {"c-gt", bits_2, "the same by gradient tracking", 1.2},
      {"qg-momentum", "none", "momentum: longer steps where curvatures differ", 0.5},
      {"decentlam", "none", "momentum that does not amplify the bias of different data", 0.5},
      {"local-sgd", "none", "one message round the ring for ten steps: for slow networks", 0.2},
      {"diloco", "none", "the same with momentum over the rounds, which saves many of them", 0.1},
      {"streaming-diloco", "none", "the same in parts, each summed while local steps go on", 0.1},
      {"sparse-loco", "chunk-topk(64/4096, values=2bit)", "local steps, sent in a hundredth of the bytes",
       0.3},
      {"sparse-loco",
       "chunk-topk(64/4096, values=2bit)",
       "the same in shorter rounds",
       0.6,
       {{option::local_steps, 4}}},
      {"d-psgd", "none", "one message a neighbor for four steps", 0.3, {{option::local_steps, 4}}},
      {"dcd-psgd", bits_4, "the same in an eighth of the bytes", 0.3, {{option::local_steps, 4}}},
      {"choco-sgd",
       "sign(bucket=512)",
       "the same in a bit a number",
       0.35,
       {{option::consensus_step, 0.5}, {option::local_steps, 4}}},
      {"demo", "dct(chunk=64) | chunk-topk(8/64)", "the largest components of momentum, without local steps",
       1.2},
      {"powersgd", "none", "gradients of rank 2: for large matrices", 1.5},
      {"slowmo", "none", "the same with slow momentum", 0.15},
      {"gas-loc", "none", "diloco without an all-reduce: one message a neighbor for ten steps", 0.15},
      {"noloco", "none", "the same with each peer's own momentum", 0.2},
      {"fed-avg", "none", "ten steps to a message, through a hub: where its port is faster than the others",
       0.2},
      {"fed-paq", bits_4, "the same, and an eighth of the bytes to the hub", 0.2},
      {"gen-qsgd",
       bits_4,
       "the same in both directions: the fewest bytes through the hub's port",
       0.2,
       {{option::down_compressor, bits_4}}},
      {"scaffold", "none", "local steps through a hub, no bias where peers have different data", 0.2},
      {"artemis",
       bits_4,
       "steps of one machine through a hub, in an eighth of the bytes",
       1.0,
       {{option::down_compressor, bits_4}}},
      {"ef21-bc",
       "topk(10%)",
       "the same with the largest entries",
       1.2,
       {{option::down_compressor, "topk(10%)"}}},
      {"qrda-adagrad", bits_4, "for composite objectives, through a hub", 1.0},
      {"dspg", "none", "for composite objectives", 1.0},
      {"dpsvrg", "none", "for composite objectives, with corrected gradients", 1.0},
  };
  return choices;
}

std::vector<TopologyChoice> topology_choices(PeerId peers) {
  constexpr PeerId most_of_complete = 32;
  std::vector<TopologyChoice> choices;
  if (peers < 2) return choices;
  if (peers > 2) choices.push_back({"ring", "static", "two neighbors, whatever the number of peers"});
  if (peers > 3)
    choices.push_back({"base(2)", "base(2)", "one neighbor at a time, and a period averages exactly"});
  if (peers > 4) {
    const PeerId rows = rows_of_torus(peers);
    if (std::has_single_bit(peers))
      choices.push_back({"hypercube", "static", "log2 n neighbors, and mixes faster than a torus"});
    else if (rows > 1)
      choices.push_back({"torus(" + std::to_string(rows) + "x" + std::to_string(peers / rows) + ")", "static",
                         "four neighbors"});
    choices.push_back({"exponential", "static", "about 2 log2 n neighbors, the fastest of the sparse ones"});
  }
  if (peers <= most_of_complete)
    choices.push_back({"complete", "static", "averages exactly in one round: for fast networks"});
  return choices;
}

std::vector<Candidate> candidates_beside(const RunSettings& yours) {
  const bool fixed = !yours.topology.file.empty() || !yours.link_overrides.empty();
  // "auto" is a ring for methods that gossip, and a star, below, for those with a hub.
  const std::string kind = fixed || yours.topology.kind != "auto" ? yours.topology.kind : "ring";
  std::vector<TopologyChoice> topologies = {{kind, yours.topology.schedule, "yours"}};
  if (!fixed)
    for (const TopologyChoice& choice : topology_choices(yours.topology.peers))
      if (choice.kind != kind || choice.schedule != yours.topology.schedule) topologies.push_back(choice);

  std::vector<Candidate> candidates;
  for (const MethodChoice& choice : method_choices()) {
    const MethodInfo& method = find_method(choice.method);
    if (method.composite != is_composite(yours.model)) continue;
    const MethodOptions& set = yours.algorithm.options;
    // Your own number of local steps goes for all: the row without one of its own then stands for both.
    const bool yours_has_local_steps = set.find(option::local_steps).value_or(1) > 1;
    if (choice.options.has(option::local_steps) && yours_has_local_steps) continue;
    RunSettings candidate = yours;
    candidate.algorithm.kind = choice.method;
    candidate.algorithm.compressor = choice.compressor;
    candidate.algorithm.allow_unsound = false;
    candidate.algorithm.options = choice.options;
    if (method.options.has(option::optimizer) && set.has(option::optimizer))
      candidate.algorithm.options.set(option::optimizer, set[option::optimizer]);
    if (method.options.has(option::local_steps) && yours_has_local_steps)
      candidate.algorithm.options.set(option::local_steps, set[option::local_steps]);
    if (!choice.weights.empty()) candidate.topology.weights = choice.weights;
    if (method.pattern.has_hub && !fixed) {
      candidate.topology.kind = "star";
      candidate.topology.schedule = "static";
      candidates.push_back({candidate, choice.iterations});
      continue;
    }
    std::vector<TopologyChoice> tried_on = topologies;
    if (choice.only_on) {
      // Two peers have one link whatever the schedule, and on yours the row without `only_on` is tried.
      const bool is_new = !fixed && yours.topology.peers > 2 && !is_among(topologies, *choice.only_on);
      tried_on.assign(is_new ? 1 : 0, *choice.only_on);
    }
    for (const TopologyChoice& topology : tried_on) {
      candidate.topology.kind = topology.kind;
      candidate.topology.schedule = topology.schedule;
      candidates.push_back({candidate, choice.iterations});
      if (!method.pattern.uses_graph) break;  // the method is the same on every graph
    }
  }
  return candidates;
}

}  // namespace hearsay
