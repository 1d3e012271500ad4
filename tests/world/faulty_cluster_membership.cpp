#include <algorithm>
#include <utility>

#include "runtime/peer/peer.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "tests/world/faulty_cluster.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/hub_rounds.hpp"

// Policy "drop": peers that are lost, come back and join.

namespace hearsay {

namespace {

/// The driver adds three rounds, which are short here.
constexpr Duration patience_with_standby = std::chrono::seconds(1);

}  // namespace

const MixingRow FaultyCluster::Life::not_seen{.self_weight = -1.0, .hears = {}, .heard_by = {}};

void FaultyCluster::begin_late(PeerId id, Duration when) {
  at(Instant(when), [this, id] { start(id, false); });
}

void FaultyCluster::replace(PeerId id, Duration when, Duration back) {
  at(Instant(when), [this, id] { kill(id); });
  at(Instant(back), [this, id] { start(id, false); });
}

void FaultyCluster::join(PeerId id, const ModelArrived& arrived) {
  const auto model = model_of<double>(arrived.model, experiment_.problem.dimension());
  ensure(model.has_value(), "neighbors tell their models");
  Node& node = nodes_[id];
  node.peer = make_joining_peer(experiment_, id, packets_, arrived.entry, *model);
  node.joined_at = arrived.entry.iteration;
  ++joined;
  entries.push_back({id, arrived.from, arrived.entry.iteration, *model});
}

const MixingRow* FaultyCluster::Life::row(std::uint64_t iteration) const {
  const bool took_part = iteration > joined_at && iteration - joined_at <= rows.size();
  const MixingRow* const row = took_part ? &rows[iteration - joined_at - 1] : nullptr;
  return row && row->self_weight != not_seen.self_weight ? row : nullptr;
}

std::vector<FaultyCluster::Life> FaultyCluster::lives(PeerId id) const {
  std::vector<Life> all = nodes_[id].earlier;
  all.push_back({nodes_[id].joined_at, nodes_[id].rows});
  return all;
}

const Vector<double>* FaultyCluster::evaluated_model(PeerId id, std::uint64_t iteration) const {
  const auto found = nodes_[id].evaluated.find(iteration);
  return found == nodes_[id].evaluated.end() ? nullptr : &found->second;
}

/// Tells the observer, once, how the peer has ended.
void FaultyCluster::tell_result(Node& node) {
  if (std::exchange(node.reported, true)) return;
  PeerMeters meters;
  meters.counters = node.peer->counters();
  node.session->tell_observer(
      {FrameKind::result, node.peer->iteration(), encode_outcome(peer_outcome(*node.peer, meters, 0))});
}

void FaultyCluster::send_edge_request(PeerId id, const EdgeRequest& request) {
  nodes_[id].session->send_edge_request(request);
  if (request.what == EdgeRequest::What::take || request.what == EdgeRequest::What::agree) ++attached;
}

void FaultyCluster::part(PeerId id, PeerId neighbor) {
  if (!nodes_[id].started) return;
  Peer<double>& peer = *nodes_[id].peer;
  const bool was_lost = peer.deals_with(neighbor) && peer.has_lost(neighbor);
  const auto wanted = respond(peer, PeerDeparted{neighbor, {}});
  if (!wanted) return;
  send_edge_request(id, *wanted);
  if (!was_lost) ++parted;
  if (peer.awaits_standby()) nodes_[id].waits_since = now_;
  if (peer.is_deserted()) retire(id);
}

/// A neighbor takes peer `id` for gone.
void FaultyCluster::hear_that_it_is_gone(PeerId id, PeerId neighbor) {
  Peer<double>& peer = *nodes_[id].peer;
  if (peer.is_replaced_by(neighbor)) return retire(id);
  if (neighbor == hub_id) peer.stand_down();
}

/// Ends a hub whose standby has taken over, as the driver does.
void FaultyCluster::retire(PeerId id) {
  ++hub_replaced;
  nodes_[id].session->tell_observer({FrameKind::parted, nodes_[id].peer->iteration(), {}});
  at(now_, id, [this, id] {
    serve(id);
    kill(id);
  });
}

void FaultyCluster::lose_hub(PeerId id) {
  ++hub_lost;
  nodes_[id].session->tell_observer({FrameKind::parted, nodes_[id].peer->iteration(), {}});
  serve(id);
  kill(id);
}

/// A hub that has begun a round looks again when its time is over.
void FaultyCluster::note_round(Node& node) {
  const PeerId id = node.peer->id();
  if (id != hub_id || !node.rounds.note(node.peer->begun(), now_)) return;
  at(node.rounds.over_at(), id, [this, id] {
    settle(nodes_[id]);
    serve(id);
  });
}

/// Looks for silent neighbors and a silent observer, as the driver does (peer_driver.cpp).
void FaultyCluster::check_deadlines(PeerId id) {
  Node& node = nodes_[id];
  const Duration lost_after = experiment_.settings.failure.lost_after;
  Peer<double>& peer = *node.peer;
  node.watch->look(now_);
  if (!node.started) return;
  const std::vector<PeerId> awaited = peer.waiting_for();
  for (const PeerId source : awaited) node.watch->heard(source, node.heard_at[source]);
  for (const SilenceWatch::Lost& silent :
       node.watch->judge(now_, node.waits_since, peer.iteration() + 1, awaited).lost) {
    const bool is_hub = experiment_.method->pattern.has_hub && silent.id == peer.hub();
    if (is_hub && !peer.survives_hub()) return lose_hub(id);
    part(id, silent.id);
  }
  if (peer.hears_claim() && node.watch->silence(now_, Instant{}, node.heard_at[hub_id]) > lost_after)
    part(id, hub_id);
  if (peer.was_mistaken()) return lose_hub(id);
  if (peer.awaits_standby() && now_ - node.waits_since > patience_with_standby) return lose_hub(id);
  if (peer.state() == PeerState::needs_agreement && now_ - node.waits_since > lost_after) {
    if (peer.lacks_hub()) return lose_hub(id);
    for (const PeerId neighbor : peer.offered()) part(id, neighbor);
  }
  const bool silent = node.watch->silence(now_, node.waits_since, node.observer_heard_at) > lost_after;
  if (awaited.empty() && !node.unobserved && silent) {
    node.unobserved = true;
    node.session->turn_from_observer(peer.needed_from());
    peer.detach_from_observer();
  } else if (node.unobserved && now_ - node.observer_heard_at <= lost_after) {
    node.unobserved = false;
    node.session->turn_from_observer(peer.needed_from());
    peer.attach_to_observer();
  }
  settle(node);
  serve(id);
}

}  // namespace hearsay
