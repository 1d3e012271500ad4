#include "runtime/peer/peer_neighbors.hpp"

#include <algorithm>
#include <limits>

#include "runtime/peer/replica_copy.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
PeerNeighbors<Scalar>::PeerNeighbors(const PeerInput<Scalar>& input) : input_(input) {
  if (input_.weights_follow) meet();
}

template <class Scalar>
void PeerNeighbors<Scalar>::meet() {
  ensure(input_.staleness == 0,
         "the two ends of a broken edge take it out at the same iteration, or the next");
  const auto present = [&](PeerId id) { return !std::ranges::binary_search(input_.absent, id); };
  const auto degree = [&](PeerId id, const auto& counts) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(input_.schedule->row(id, 0).hears,
                              [&](const WeightedNeighbor& neighbor) { return counts(neighbor.id); }));
  };
  MixingRow row = input_.schedule->row(input_.id, 0);
  if (!input_.hearers.empty()) {  // links change from round to round: all of them are edges
    row.hears.clear();
    for (const PeerId hearer : input_.hearers) row.hears.push_back({hearer, 0.0});
  }
  std::vector<std::uint32_t> degrees;
  for (const WeightedNeighbor& neighbor : row.hears)
    degrees.push_back(degree(neighbor.id, [](PeerId) { return true; }));
  neighborhood_ = std::make_unique<Neighborhood>(row, std::move(degrees), *input_.weights_follow);
  for (const WeightedNeighbor& neighbor : row.hears)
    if (input_.joins_at || !present(neighbor.id))
      neighborhood_->leave_out(neighbor.id);
    else
      neighborhood_->hear_degree(neighbor.id, 1, degree(neighbor.id, present));
}

template <class Scalar>
bool PeerNeighbors<Scalar>::lose(PeerId neighbor) {
  if (neighborhood_->is_lost(neighbor)) return false;
  neighborhood_->lose(neighbor);
  return true;
}

template <class Scalar>
void PeerNeighbors<Scalar>::depart_lost(AwaitedPackets& awaited, Iteration<Scalar>& iteration) {
  if (!neighborhood_) return;
  const bool departed = awaited.give_up([&](PeerId sender) {
    if (!neighborhood_->lacks(sender, iteration.number())) return false;
    neighborhood_->depart(sender, iteration.number());
    return true;
  });
  if (departed && !attaching_) mix(iteration);
}

template <class Scalar>
void PeerNeighbors<Scalar>::mix(Iteration<Scalar>& iteration) {
  if (!neighborhood_) return;
  const MixingRow scheduled = input_.schedule->row(input_.id, iteration.number() - 1);
  if (neighborhood_->undisturbed())
    changed_row_ = scheduled;
  else if (input_.weights_follow == WeightsFollow::unread)
    changed_row_ = neighborhood_->without_those_out(scheduled);
  else
    changed_row_ = neighborhood_->row();
  iteration.mix_by(changed_row_);
  iteration.turn_to(iteration.number() - 1);
}

template <class Scalar>
void PeerNeighbors<Scalar>::hear_degree(const MessageKey& key, std::uint32_t degree) {
  if (neighborhood_ && degree != 0)
    neighborhood_->hear_degree(key.sender, key.iteration + (key.slot == attach_slot ? 0 : 1), degree);
}

template <class Scalar>
std::optional<std::uint64_t> PeerNeighbors<Scalar>::offer(PeerId neighbor, std::uint64_t earliest) {
  const auto known = std::ranges::find(offers_, neighbor, &std::pair<PeerId, std::uint64_t>::first);
  if (known != offers_.end()) return known->second;
  if (earliest > input_.iterations || !input_.edges_return) return std::nullopt;
  offers_.emplace_back(neighbor, earliest);
  return earliest;
}

template <class Scalar>
bool PeerNeighbors<Scalar>::attach(PeerId neighbor, std::uint64_t iteration, std::uint64_t earliest) {
  if (!input_.edges_return || !neighborhood_->is_lost(neighbor) || iteration < earliest ||
      iteration > input_.iterations)
    return false;
  neighborhood_->attach(neighbor, iteration);
  return true;
}

template <class Scalar>
void PeerNeighbors<Scalar>::withdraw(PeerId neighbor) {
  std::erase_if(offers_, [&](const auto& offer) { return offer.first == neighbor; });
}

template <class Scalar>
std::vector<PeerId> PeerNeighbors<Scalar>::offered() const {
  std::vector<PeerId> neighbors;
  for (const auto& [neighbor, from] : offers_) neighbors.push_back(neighbor);
  return neighbors;
}

template <class Scalar>
std::uint64_t PeerNeighbors<Scalar>::holds_before() const {
  if (lacks_hub()) return 0;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [neighbor, from] : offers_) first = std::min(first, from - 1);
  return first;
}

template <class Scalar>
std::vector<PeerId> PeerNeighbors<Scalar>::begin_iteration(std::uint64_t number,
                                                           std::vector<Outgoing>& outbox) {
  if (!neighborhood_) return {};
  neighborhood_->begin(number);
  std::vector<PeerId> attached = neighborhood_->attached_at(number);
  if (attached.empty()) return attached;
  PacketBuffer copy = input_.packets->acquire();
  copy_published(*input_.algorithm, copy);
  const PacketRef packet = std::move(copy).seal();
  for (const PeerId neighbor : attached)
    outbox.push_back({neighbor, {number, attach_slot, input_.id}, packet, {neighborhood_->degree()}});
  attaching_ = true;
  return attached;
}

/// A neighbor that was lost before its attachment came is not among the senders any more (depart_lost).
template <class Scalar>
CodecStatus PeerNeighbors<Scalar>::end_attaching(const AwaitedPackets& awaited) {
  attaching_ = false;
  CodecStatus status = CodecStatus::ok;
  if (published_bytes(*input_.algorithm) == 0) return status;
  for (std::size_t k = 0; k < awaited.senders().size(); ++k) {
    const PacketRef& packet = awaited.packets()[k];
    if (packet && !overwrite_replica(*input_.algorithm, awaited.senders()[k], packet->bytes()))
      status = CodecStatus::malformed;
  }
  return status;
}

template <class Scalar>
void PeerNeighbors<Scalar>::ask_for_model(PeerId joiner) {
  if (std::ranges::find(joiners_, joiner) == joiners_.end()) joiners_.push_back(joiner);
}

template class PeerNeighbors<float>;
template class PeerNeighbors<double>;

}  // namespace hearsay
