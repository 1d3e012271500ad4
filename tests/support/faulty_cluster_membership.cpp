#include "tests/support/faulty_cluster.hpp"

// Policy "drop": as the driver does (peer_driver_membership.cpp).

namespace hearsay {

void FaultyCluster::obey(PeerId id, const EdgeWish& wish) {
  nodes_[id].session->obey(wish);
  if (wish.what == EdgeWish::What::take || wish.what == EdgeWish::What::agree) ++attached;
}

void FaultyCluster::part(PeerId id, PeerId neighbor) {
  if (!nodes_[id].started) return;
  Peer<double>& peer = *nodes_[id].peer;
  const bool was_lost = peer.neighborhood()->is_lost(neighbor);
  const auto wanted = respond(peer, PeerDeparted{neighbor});
  if (!wanted) return;
  obey(id, *wanted);
  if (!was_lost) ++parted;
}

void FaultyCluster::look_at_the_clock(PeerId id) {
  Node& node = nodes_[id];
  const Duration lost_after = experiment_.settings.failure.lost_after;
  Peer<double>& peer = *node.peer;
  node.watch->look(now_);
  if (!node.started) return;
  const std::vector<PeerId> awaited = peer.waiting_for();
  for (const PeerId source : awaited) node.watch->heard(source, node.heard_at[source]);
  for (const SilenceWatch::Lost& silent :
       node.watch->judge(now_, node.waits_since, peer.iteration() + 1, awaited).lost)
    part(id, silent.id);
  if (peer.state() == PeerState::needs_agreement && now_ - node.waits_since > lost_after)
    for (const PeerId neighbor : peer.offered()) part(id, neighbor);
  const bool silent = node.watch->silence(now_, node.waits_since, node.observer_heard_at) > lost_after;
  if (awaited.empty() && !node.unobserved && silent) {
    node.unobserved = true;
    node.session->turn_from_observer(peer.iteration());
    peer.go_on_unobserved();
  } else if (node.unobserved && now_ - node.observer_heard_at <= lost_after) {
    node.unobserved = false;
    node.session->turn_from_observer(peer.iteration());
    peer.go_on_observed();
  }
  settle(node);
  serve(id);
}

}  // namespace hearsay
