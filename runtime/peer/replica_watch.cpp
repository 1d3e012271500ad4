#include "runtime/peer/replica_watch.hpp"

#include <algorithm>

namespace hearsay {

ReplicaWatch::ReplicaWatch(std::vector<PeerId> owners) {
  for (const PeerId owner : owners) replicas_.push_back({owner});
}

ReplicaWatch::Replica* ReplicaWatch::find(PeerId owner) {
  const auto known = std::ranges::find(replicas_, owner, &Replica::owner);
  return known == replicas_.end() ? nullptr : &*known;
}

ReplicaWatch::Finding ReplicaWatch::holds(PeerId owner, std::uint64_t iteration, std::uint32_t digest) {
  Replica* const replica = find(owner);
  if (!replica) return Finding::nothing;
  replica->held = {iteration, digest};
  return compare(*replica);
}

ReplicaWatch::Finding ReplicaWatch::said(PeerId owner, std::uint64_t iteration, std::uint32_t digest) {
  Replica* const replica = find(owner);
  // All messages of an iteration carry the same digest, so the first one is enough.
  if (!replica || replica->told.iteration >= iteration) return Finding::nothing;
  replica->told = {iteration, digest};
  return compare(*replica);
}

void ReplicaWatch::overwritten(PeerId owner, std::uint64_t iteration) {
  if (Replica* const replica = find(owner)) {
    replica->held = {};
    replica->overwritten_in = iteration;
  }
  std::erase(differing_, owner);
}

bool ReplicaWatch::was_overwritten(PeerId owner, std::uint64_t iteration) const {
  const auto known = std::ranges::find(replicas_, owner, &Replica::owner);
  return known != replicas_.end() && known->overwritten_in == iteration;
}

ReplicaWatch::Finding ReplicaWatch::compare(const Replica& replica) {
  if (replica.held.iteration != replica.told.iteration) return Finding::nothing;
  if (replica.held.value == replica.told.value) return Finding::equal;
  if (std::ranges::find(differing_, replica.owner) == differing_.end()) differing_.push_back(replica.owner);
  return Finding::different;
}

}  // namespace hearsay
