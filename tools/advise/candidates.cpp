#include "tools/advise/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"

namespace hearsay {

namespace {

/// Returns the rows of the most square torus of `peers` peers; 1 if there is no torus.
PeerId rows_of_torus(PeerId peers) {
  auto rows = static_cast<PeerId>(std::sqrt(static_cast<double>(peers)));
  while (rows > 1 && peers % rows != 0) --rows;
  return rows;
}

bool is_composite(const RunSettings::Model& model) { return model.l1 != 0.0 || model.regularizer != "none"; }

/// True if the topology of the run cannot be changed.
bool is_fixed(const RunSettings& yours) {
  return !yours.topology.file.empty() || !yours.link_overrides.empty();
}

/// Returns the trials of the method: those that it names, else its defaults; none if it is never advised.
std::vector<MethodTrial> trials_of(const MethodInfo& method) {
  if (!method.trials.with.empty()) return method.trials.with;
  if (!method.trials.none_because.empty() || method.asynchronous || !method.trains) return {};
  return {{.compressor = method.default_compressor}};
}

/// Your own number of local steps goes for all: it replaces that of a trial.
bool has_local_steps(const RunSettings& yours) {
  return yours.algorithm.options.find(option::local_steps).value_or(1) > 1;
}

/// Returns your run with the method and what the trial says, on your topology.
RunSettings tried(const RunSettings& yours, const MethodInfo& method, const MethodTrial& trial) {
  const MethodOptions& set = yours.algorithm.options;
  RunSettings candidate = yours;
  candidate.algorithm.kind = method.name;
  candidate.algorithm.compressor = trial.compressor;
  candidate.algorithm.allow_unsound = false;
  candidate.algorithm.options = trial.options;
  if (method.options.has(option::optimizer) && set.has(option::optimizer))
    candidate.algorithm.options.set(option::optimizer, set[option::optimizer]);
  if (method.options.has(option::local_steps) && has_local_steps(yours))
    candidate.algorithm.options.set(option::local_steps, set[option::local_steps]);
  if (!trial.weights.empty()) candidate.topology.weights = trial.weights;
  return candidate;
}

/// Returns your topology and, unless it is fixed, those that fit so many peers. "auto" is a ring here:
/// methods with a hub have a star of their own.
std::vector<ScheduledTopology> topologies_for(const RunSettings& yours) {
  const bool is_ring = !is_fixed(yours) && yours.topology.kind == "auto";
  std::vector<ScheduledTopology> topologies = {
      {is_ring ? "ring" : yours.topology.kind, yours.topology.schedule}};
  if (is_fixed(yours)) return topologies;
  for (const TopologyChoice& choice : topology_choices(yours.topology.peers))
    if (const ScheduledTopology one{choice.kind, choice.schedule}; one != topologies.front())
      topologies.push_back(one);
  return topologies;
}

/// Returns on which of the topologies the trial is made.
std::vector<ScheduledTopology> topologies_of(const MethodInfo& method, const MethodTrial& trial,
                                             const RunSettings& yours,
                                             const std::vector<ScheduledTopology>& all) {
  if (method.pattern.has_hub && !is_fixed(yours)) return {{"star", "static"}};
  if (!trial.only_on) return method.pattern.uses_graph ? all : std::vector{all.front()};
  // Two peers have one link whatever the schedule, and on yours the trial without `only_on` is made.
  const bool is_new =
      !is_fixed(yours) && yours.topology.peers > 2 && std::ranges::find(all, *trial.only_on) == all.end();
  return is_new ? std::vector{*trial.only_on} : std::vector<ScheduledTopology>();
}

}  // namespace

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
  const std::vector<ScheduledTopology> topologies = topologies_for(yours);
  std::vector<Candidate> candidates;
  for (const MethodInfo& method : methods()) {
    if (method.composite != is_composite(yours.model)) continue;
    for (const MethodTrial& trial : trials_of(method)) {
      // With your number the trial without one of its own stands for both.
      if (trial.options.has(option::local_steps) && has_local_steps(yours)) continue;
      RunSettings candidate = tried(yours, method, trial);
      for (const ScheduledTopology& topology : topologies_of(method, trial, yours, topologies)) {
        candidate.topology.kind = topology.kind;
        candidate.topology.schedule = topology.schedule;
        candidates.push_back({candidate, trial.iterations});
      }
    }
  }
  return candidates;
}

}  // namespace hearsay
