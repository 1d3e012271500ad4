#include "runtime/observer/gathering.hpp"

#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Snapshots<Scalar>& Gathering<Scalar>::snapshots(PeerId peer, std::uint64_t iteration,
                                                const ToldMeters& meters) {
  ensure(peer < counts_from_.size(), "a snapshot is of a peer of this run");
  auto found = open_.find(iteration);
  if (found == open_.end()) {
    const auto peer_count = static_cast<PeerId>(counts_from_.size());
    found = open_.emplace(iteration, Open{Snapshots<Scalar>(iteration, peer_count)}).first;
  }
  Snapshots<Scalar>& gathered = found->second.snapshots;
  ensure(!gathered.has(peer), "a peer sends one snapshot per evaluation");
  gathered.meters[peer] = meters;
  return gathered;
}

template <class Scalar>
bool Gathering<Scalar>::is_complete(Open& open) const {
  const Snapshots<Scalar>& gathered = open.snapshots;
  for (PeerId& peer = open.known_to_be_there; peer < counts_from_.size(); ++peer)
    if (needs(peer, gathered.iteration) && !gathered.has(peer)) return false;
  return true;
}

template <class Scalar>
std::optional<Snapshots<Scalar>> Gathering<Scalar>::take(
    typename std::map<std::uint64_t, Open>::iterator found) {
  Snapshots<Scalar> complete = std::move(found->second.snapshots);
  open_.erase(found);
  return complete;
}

template <class Scalar>
std::optional<Snapshots<Scalar>> Gathering<Scalar>::take_if_complete(std::uint64_t iteration) {
  const auto found = open_.find(iteration);
  if (found == open_.end() || !is_complete(found->second)) return std::nullopt;
  return take(found);
}

template <class Scalar>
std::optional<Snapshots<Scalar>> Gathering<Scalar>::take_first_if_complete() {
  if (std::ranges::all_of(counts_from_, [](std::uint64_t from) { return from == never; }))
    return std::nullopt;
  while (!open_.empty() && is_complete(open_.begin()->second)) {
    if (open_.begin()->second.snapshots.count() != 0) return take(open_.begin());
    open_.erase(open_.begin());  // all it had was of peers that are gone
  }
  return std::nullopt;
}

template <class Scalar>
void Gathering<Scalar>::drop(PeerId peer) {
  counts_from_[peer] = never;
  for (auto& [iteration, open] : open_) {
    open.snapshots.models[peer] = {};
    if (!open.snapshots.own.empty()) open.snapshots.own[peer] = {};
    open.snapshots.meters[peer] = {};
  }
}

template <class Scalar>
void Gathering<Scalar>::take_back(PeerId peer, std::uint64_t iteration) {
  ensure(counts_from_[peer] == never, "a peer that comes back was gone");
  counts_from_[peer] = iteration;
  for (auto& [unused, open] : open_) open.known_to_be_there = std::min(open.known_to_be_there, peer);
}

template class Gathering<float>;
template class Gathering<double>;

}  // namespace hearsay
