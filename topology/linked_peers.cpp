#include "topology/linked_peers.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>

namespace hearsay {

namespace {

void insert(std::vector<PeerId>& ascending, PeerId peer) {
  ascending.insert(std::ranges::lower_bound(ascending, peer), peer);
}

void erase(std::vector<PeerId>& ascending, PeerId peer) {
  ascending.erase(std::ranges::lower_bound(ascending, peer));
}

}  // namespace

bool LinkedPeers::linked(PeerId a, PeerId b) const { return std::ranges::binary_search(neighbors_[a], b); }

bool LinkedPeers::connected() const {
  std::vector<bool> seen(neighbors_.size());
  std::vector<PeerId> open = {0};
  seen[0] = true;
  std::size_t reached = 1;
  while (!open.empty()) {
    const PeerId peer = open.back();
    open.pop_back();
    for (const PeerId other : neighbors_[peer]) {
      if (seen[other]) continue;
      seen[other] = true;
      open.push_back(other);
      ++reached;
    }
  }
  return reached == neighbors_.size();
}

std::vector<Edge> LinkedPeers::edges() const {
  std::vector<Edge> edges;
  for (PeerId a = 0; a < neighbors_.size(); ++a)
    for (const PeerId b : neighbors_[a])
      if (a < b) edges.push_back({a, b});
  return edges;
}

bool LinkedPeers::link(PeerId a, PeerId b) {
  insert(neighbors_[a], b);
  insert(neighbors_[b], a);
  return true;
}

bool LinkedPeers::cut(PeerId a, PeerId b) {
  erase(neighbors_[a], b);
  erase(neighbors_[b], a);
  return true;
}

bool LinkedPeers::exchange(PeerId a, PeerId b) {
  const auto own = [&](PeerId peer, PeerId other) {
    std::vector<PeerId> result;
    for (const PeerId neighbor : neighbors_[peer])
      if (neighbor != other && !linked(neighbor, other)) result.push_back(neighbor);
    return result;
  };
  const std::vector<PeerId> of_a = own(a, b);
  const std::vector<PeerId> of_b = own(b, a);
  for (const PeerId other : of_a) cut(a, other) && link(b, other);
  for (const PeerId other : of_b) cut(b, other) && link(a, other);
  return !of_a.empty() || !of_b.empty();
}

bool LinkedPeers::join(std::span<const Edge> pairs, std::span<const std::size_t> most) {
  const std::size_t n = neighbors_.size();
  std::vector<PeerId> rank(n), parent(n);
  boost::disjoint_sets<PeerId*, PeerId*> trees(rank.data(), parent.data());
  for (PeerId peer = 0; peer < n; ++peer) trees.make_set(peer);
  const auto have_room = [&](const Edge& edge) {
    return neighbors_[edge.a].size() < most[edge.a] && neighbors_[edge.b].size() < most[edge.b];
  };
  // First those that may have two links or more, then the others, with one of the former. If all pairs are
  // there, the first pass joins all of the former: of two trees that were left, each would have a leaf, which
  // has room at any time, so the pair of these leaves would have been taken.
  for (const bool leaves : {false, true})
    for (const Edge& edge : pairs) {
      const bool of_a_leaf = most[edge.a] == 1 || most[edge.b] == 1;
      const bool of_two = most[edge.a] == 1 && most[edge.b] == 1;
      if (of_a_leaf != leaves || of_two || !have_room(edge)) continue;
      const PeerId a = trees.find_set(edge.a);
      const PeerId b = trees.find_set(edge.b);
      if (a == b) continue;
      trees.link(a, b);
      link(edge.a, edge.b);
    }
  for (const Edge& edge : pairs)
    if (have_room(edge) && !linked(edge.a, edge.b)) link(edge.a, edge.b);
  return connected();
}

}  // namespace hearsay
