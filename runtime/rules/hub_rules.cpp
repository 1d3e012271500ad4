#include "runtime/rules/hub_rules.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

/// The peer that all others are linked with, and with nobody else; empty if there is none.
std::optional<PeerId> centre_of(const Graph& graph) {
  const PeerId peers = graph.peer_count();
  for (PeerId id = 0; id < peers; ++id)
    if (graph.degree(id) + 1 == peers && graph.edges().size() + 1 == peers) return id;
  return std::nullopt;
}

/// Says what a topology file would have to hold. Peers of GraphML and DOT are numbered by name.
std::string file_of_star(const std::filesystem::path& file, const Graph& graph) {
  const std::optional<PeerId> centre = centre_of(graph);
  const bool toml = file.extension() == ".toml";
  return std::string(toml ? "family = \"star\", or links from the first peer"
                          : "links from the first peer by name") +
         " to all others" + (centre ? ", not from peer " + std::to_string(*centre) : "");
}

/// Throws Misuse for what the groups of a tree cannot do: a head does not know who of its group is late or
/// lost, and the hub counts all of them.
void require_patience_on_tree(const RunSettings& settings) {
  const std::string why = "the heads of a tree's groups wait for all that take part; expected ";
  const TopologySettings& topology = settings.topology;
  if (topology.rounds_close())
    throw Misuse("topology.round_deadline", to_text(topology.round_deadline), why + "0 s, or a star");
  if (settings.failure.drops()) throw Misuse("failure.policy", "\"drop\"", why + "\"wait\", or a star");
}

}  // namespace

void require_sensible_hub(const RunSettings& settings) {
  if (settings.topology.hub == HubData::its_own) return;
  const auto refuse = [](const std::string& expectation) {
    throw Misuse("topology.hub", "\"dedicated\"", expectation);
  };
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (!method.pattern.has_hub)
    refuse(method.name + " has no hub; leave it out (those that have one: " +
           methods_that([](const MethodInfo& other) { return other.pattern.has_hub; }) + ")");
  if (settings.topology.peers < 2)
    refuse("there are no workers; expected topology.peers of at least 2, the hub among them");
  if (settings.data.partition == "home")
    refuse(
        "with data.partition = \"home\" a peer knows the model by its data, so the hub has some; expected "
        "\"worker\", or a program as the model");
  if (settings.run.evaluate == RunSettings::Run::Evaluate::own)
    refuse(
        "run.evaluate = \"own\" judges each model on the data of its peer, and the hub has none; expected "
        "\"worker\", or run.evaluate = \"mean\"");
}

void require_star(const RunSettings& settings, const Graph& graph) {
  const TopologySettings& topology = settings.topology;
  const std::string& method = settings.algorithm.kind;
  if (topology.schedule != "static")
    throw Misuse("topology.schedule", topology.schedule,
                 method + " has a hub, which every worker of a round talks to; expected \"static\"");
  if (is_star_around_hub(graph)) return;
  const bool permits_tree = find_method(method).permits_tree;
  if (permits_tree && is_hub_tree(graph)) return require_patience_on_tree(settings);
  const std::string others =
      is_hub_tree(graph)
          ? "one of " + methods_that([](const MethodInfo& other) { return other.permits_tree; })
          : "a method without a hub, such as choco-sgd";
  const bool of_file = !topology.file.empty();
  throw Misuse(of_file ? "topology.file" : "topology.kind", of_file ? topology.file.string() : topology.kind,
               method + " has a hub, peer 0, that every other peer is linked with, " +
                   (permits_tree ? "itself or through one other" : "and with nobody else") + "; expected " +
                   (of_file ? file_of_star(topology.file, graph) : "\"star\"") +
                   (permits_tree ? ", a tree of two levels (\"hub-tree(2)\")" : "") + ", or " + others);
}

void check_centre(const RunSettings& settings, const Graph& graph, Advice& advice) {
  const std::filesystem::path& file = settings.topology.file;
  const std::optional<PeerId> centre = centre_of(graph);
  if (file.empty() || !centre || is_star_around_hub(graph)) return;
  advice.warn("topology.file = " + file.string() + ": peer " + std::to_string(*centre) +
              " stands between the hub, peer 0, and all others, so everything is sent twice; expected the "
              "middle of the star first, if it is to be the hub");
}

}  // namespace hearsay
