#include "runtime/experiment/join_later.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "runtime/toml/document.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// True if the graph without the `absent` peers is connected. The observer's peer must not be absent.
bool rest_is_connected(const Graph& graph, const std::vector<PeerId>& absent) {
  std::vector<bool> met(graph.peer_count());
  for (const PeerId id : absent) met[id] = true;
  std::vector<PeerId> reached = {observer_peer};
  met[observer_peer] = true;
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const PeerId neighbor : graph.neighbors(reached[k])) {
      if (met[neighbor]) continue;
      met[neighbor] = true;
      reached.push_back(neighbor);
    }
  return reached.size() + absent.size() == graph.peer_count();
}

}  // namespace

void check_join_later(const RunSettings& settings, const MethodInfo& method, const Graph& graph) {
  const std::vector<PeerId>& later = settings.failure.join_later;
  if (later.empty()) return;
  const auto refuse = [&](const std::string& why) {
    throw Misuse("failure.join_later", toml_list(later), why);
  };
  if (!settings.failure.drops())
    refuse("a run that waits for its peers begins with all of them; expected failure.policy = \"drop\"");
  if (later.front() == observer_peer)
    refuse("peer 0 keeps the record from the start; expected ids from 1 on");
  if (later.back() >= graph.peer_count())
    refuse("the topology has peers 0 to " + std::to_string(graph.peer_count() - 1));
  if (later.size() + 2 > graph.peer_count())
    refuse("expected at least two peers that are there from the start");
  if (!rest_is_connected(graph, later))
    refuse("without them the graph falls apart; expected that the others reach each other");
  if (!method.may_be_joined)
    refuse(method.name + " cannot be joined: what its peers keep is more than a model; expected []");
}

void require_starts_of_later(const RunSettings& settings, const char* driver) {
  std::vector<PeerId> left = settings.failure.join_later;
  for (const FaultTable& table : settings.faults)
    if (const auto* const fault = std::get_if<Fault>(&table); fault && fault->kind == Fault::Kind::rejoin)
      std::erase_if(left, [&](PeerId id) { return std::ranges::binary_search(fault->peers, id); });
  if (left.empty()) return;
  throw Misuse("failure.join_later", toml_list(settings.failure.join_later),
               std::string(driver) +
                   " starts a peer that joins later where a [[fault]] of kind \"rejoin\" says so, and there "
                   "is none of peer " +
                   std::to_string(left.front()) + "; expected one, or hearsay peer for each peer");
}

}  // namespace hearsay
