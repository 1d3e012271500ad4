#include "runtime/rules/failure_rules.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "algorithms/methods/registry.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

void require_droppable(const RunSettings& settings, const MethodInfo& method) {
  if (!settings.failure.drops()) return;
  const auto refuse = [](const std::string& why) {
    throw Misuse("failure.policy", "\"drop\"", why + "; expected \"wait\"");
  };
  const auto refuse_method = [&](const std::string& why) {
    const auto could = [&](const MethodInfo& other) {
      return other.pattern.has_hub == method.pattern.has_hub && goes_on_without(other.membership);
    };
    throw Misuse("failure.policy", "\"drop\"",
                 method.name + why + "; expected \"wait\", or one of " + methods_that(could));
  };
  const MethodOptions& options = settings.algorithm.options;
  if (method.membership == Membership::reinitialise)
    refuse_method(" keeps sums over all peers, which a peer that is gone takes along");
  if (method.membership == Membership::refuse) refuse_method(" cannot do without any peer");
  const std::string why = method.keeps_all_because ? method.keeps_all_because(options) : "";
  if (!why.empty())
    throw Misuse("failure.policy", "\"drop\"", method.name + " " + why + ", or failure.policy = \"wait\"");
  if (staleness_of(settings) != 0)
    refuse("the two ends of a broken link would part as many iterations apart as algorithm.staleness says");
  if (method.membership == Membership::forgotten && settings.topology.participation < 1.0)
    throw Misuse("topology.participation", number_text(settings.topology.participation),
                 "under failure.policy = \"drop\" the hub of " + method.name +
                     " forgets what a worker has said that does not answer; expected 1" +
                     (method.permits_time_varying ? ", or failure.policy = \"wait\"" : ""));
  const bool all_take_part = settings.topology.participation == 1.0 || method.pattern.has_hub;
  if (settings.topology.schedule != "static" || !all_take_part)
    refuse("it wants a static schedule with all peers");
  if (settings.failure.keeps_checkpoints())
    refuse("who comes back joins with a neighbor's model, so failure.checkpoint_every is to be 0");
}

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

/// The words for a method whose peers cannot join a run that has gone on without them.
std::string unjoinable(const MethodInfo& method) {
  return method.name + " cannot be joined: what its peers keep is more than a model";
}

void require_joinable_later(const RunSettings& settings, const MethodInfo& method, const Graph& graph) {
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
  if (!method.may_be_joined) refuse(unjoinable(method) + "; expected []");
}

bool goes_on_without_a_worker(const MethodInfo& method) {
  return method.pattern.has_hub && goes_on_without(method.membership);
}

void require_standby(const RunSettings& settings, const MethodInfo& method, const Graph& graph) {
  if (!settings.failure.hub_standby) return;
  const PeerId standby = *settings.failure.hub_standby;
  const auto refuse = [&](const std::string& why) {
    throw Misuse("failure.hub_standby", std::to_string(standby), why);
  };
  const TopologySettings& topology = settings.topology;
  if (!goes_on_without_a_worker(method))
    refuse(method.name +
           (method.pattern.has_hub ? " cannot do without any worker" : " has no hub that could be lost") +
           "; leave it out, or take one of " + methods_that(goes_on_without_a_worker));
  if (!settings.failure.drops())
    refuse("under failure.policy = \"wait\" a run waits for its hub to come back; expected \"drop\"");
  if (topology.hub == HubData::its_own)
    refuse(
        "a hub that is lost would take its share of the data along; expected topology.hub = \"dedicated\"");
  if (standby == hub_id || standby >= graph.peer_count())
    refuse("expected a worker: an id from 1 to " + std::to_string(graph.peer_count() - 1));
  if (graph.peer_count() < 3) refuse("it is the only worker; expected topology.peers of at least 3");
  if (!is_star_around_hub(graph))
    refuse("it cannot hear the workers of a tree's groups; expected topology.kind = \"star\"");
  if (topology.participation < 1.0)
    refuse("it hears the hub in every round; expected topology.participation = 1 instead of " +
           number_text(topology.participation));
  if (topology.rounds_close())
    refuse(
        "whose answers come in time it cannot know beforehand; expected topology.round_deadline = \"0 s\"");
  if (!settings.failure.join_later.empty())
    refuse("hub and standby would have to take a joining worker in together; expected no failure.join_later");
}

/// Throws Misuse if a peer is to join that cannot.
void check_joining(const std::vector<PeerId>& peers, const char* key, const std::string& value,
                   const MethodInfo& method) {
  const std::string remedy =
      "; expected a kill for good, without \"for\", or failure.checkpoint_every, from which it comes back";
  if (!method.may_be_joined) throw Misuse(key, value, unjoinable(method) + remedy);
  if (std::ranges::binary_search(peers, observer_peer))
    throw Misuse(key, value, "peer 0 cannot join anew, since it keeps the record of the run" + remedy);
}

void require_bearable_faults(const RunSettings& settings, const MethodInfo& method) {
  if (settings.faults.empty()) return;
  if (settings.shapes_evaluations())
    throw Misuse("network.evaluations", "shaped",
                 "the faults of [[fault]] do not reach shaped evaluations; expected \"free\"");
  const bool joins = settings.failure.drops();
  for (const FaultTable& table : settings.faults) {
    if (const auto* const random = std::get_if<RandomKills>(&table)) {
      if (joins && random->lasts) check_joining({}, "fault.for", to_text(*random->lasts), method);
      continue;
    }
    const auto& fault = std::get<Fault>(table);
    if (fault.kind == Fault::Kind::rejoin && !settings.failure.drops())
      throw Misuse(
          "fault.kind", "rejoin",
          "under failure.policy = \"wait\" no peer joins a run that goes on; expected failure.policy "
          "= \"drop\", or failure.checkpoint_every and a kill with a time \"for\" which the process is gone");
    if (fault.kind == Fault::Kind::rejoin && joins)
      check_joining(fault.peers, "fault.kind", "rejoin", method);
    if (fault.kind == Fault::Kind::death && joins && fault.lasts)
      check_joining(fault.peers, "fault.for", to_text(*fault.lasts), method);
  }
}

void require_checkpoints(const RunSettings& settings, const MethodInfo& method) {
  const RunSettings::Failure& failure = settings.failure;
  if (!method.asynchronous || !failure.keeps_checkpoints()) return;
  throw Misuse("failure.checkpoint_every",
               failure.checkpoint_period != Duration{0} ? to_text(failure.checkpoint_period)
                                                        : std::to_string(failure.checkpoint_every),
               method.name +
                   " is asynchronous: what a peer did depends on when messages came, and cannot be lived "
                   "through again; expected 0");
}

}  // namespace

void check_failure_rules(const RunSettings& settings, const MethodInfo& method, const Graph& graph) {
  require_droppable(settings, method);
  require_joinable_later(settings, method, graph);
  require_standby(settings, method, graph);
  require_bearable_faults(settings, method);
  require_checkpoints(settings, method);
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

void require_no_faults(const RunSettings& settings, const char* driver) {
  if (!settings.faults.empty())
    throw Misuse(
        "fault", std::to_string(settings.faults.size()) + " tables",
        std::string("faults happen in `hearsay run` and `hearsay simulate`; expected none in ") + driver);
}

}  // namespace hearsay
