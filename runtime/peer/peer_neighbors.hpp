#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/seam/iteration.hpp"
#include "runtime/peer/awaited_packets.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/peer/peer_input.hpp"

namespace hearsay {

/// A peer's neighbors where they go and come back (policy "drop"): its edges, those that it has offered, and
/// who waits for a copy of its model. Under policy "wait" nobody goes, and nothing here does anything.
template <class Scalar>
class PeerNeighbors {
 public:
  /// The input outlives this.
  explicit PeerNeighbors(const PeerInput<Scalar>& input);

  /// Null under policy "wait".
  const Neighborhood* neighborhood() const { return neighborhood_ ? &*neighborhood_ : nullptr; }

  // Edges that leave.

  /// Whether this neighbor was there until now.
  bool lose(PeerId neighbor);
  /// Of lost neighbors nothing is awaited any more: where a message of one is missing, its edge is out from
  /// this iteration on, and its weight stays with this peer.
  void depart_lost(AwaitedPackets& awaited, Iteration<Scalar>& iteration);
  /// Makes the iteration mix by the edges that are in.
  void mix(Iteration<Scalar>& iteration);
  bool is_out(const MessageKey& key) const { return neighborhood_ && neighborhood_->is_out(key); }
  /// Whether what has not come of `neighbor` in `iteration` never will.
  bool lacks(PeerId neighbor, std::uint64_t iteration) const {
    return neighborhood_ && neighborhood_->lacks(neighbor, iteration);
  }

  // Degrees, which travel with the messages.

  std::uint32_t degree_to_send() const { return neighborhood_ ? neighborhood_->announced_degree() : 0; }
  void hear_degree(const MessageKey& key, std::uint32_t degree);

  // Edges that come back: offered to the other end, agreed on, and attached with what both ends have
  // published.

  /// From which iteration on the edge can be in, `earliest` or later; nothing where there is no such
  /// iteration.
  std::optional<std::uint64_t> offer(PeerId neighbor, std::uint64_t earliest);
  /// False, and nothing has changed, where it is too late here.
  bool attach(PeerId neighbor, std::uint64_t iteration, std::uint64_t earliest);
  void withdraw(PeerId neighbor);
  std::vector<PeerId> offered() const;
  /// The iteration that is not begun until all offers are agreed on: in it the degrees are announced that
  /// count when the edges are in.
  std::uint64_t holds_before() const;

  /// Turns to the iteration. Whose edges come back with it, ascending: these are sent what is published here.
  std::vector<PeerId> begin_iteration(std::uint64_t number, std::vector<Outgoing>& outbox);
  /// Whether the messages that are awaited are those of edges that come back, and the method has not begun.
  bool attaching() const { return attaching_; }
  /// Takes over what has come of the edges that come back; `malformed` if some of it does not fit the method.
  CodecStatus end_attaching(const AwaitedPackets& awaited);

  // Peers that join with a copy of this one's model.

  void ask_for_model(PeerId joiner);
  /// `make_copy` makes a packet of the model, or null where the run is about to end.
  template <class MakeCopy>
  void answer_joiners(const EntryPoint& entry, const MakeCopy& make_copy) {
    for (const PeerId joiner : joiners_) copies_.push_back({joiner, entry, make_copy()});
    joiners_.clear();
  }
  std::vector<ModelCopy>& copies() { return copies_; }

 private:
  void meet();

  const PeerInput<Scalar>& input_;
  std::optional<Neighborhood> neighborhood_;
  // Once W is not what it was. One object, so that what a method holds of it while it waits stays valid.
  MixingRow changed_row_;
  bool attaching_ = false;
  std::vector<std::pair<PeerId, std::uint64_t>> offers_;  // of edges, from an iteration on, not agreed on
  std::vector<PeerId> joiners_;                           // that wait for a copy
  std::vector<ModelCopy> copies_;
};

}  // namespace hearsay
