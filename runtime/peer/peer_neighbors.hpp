#pragma once

#include <cstdint>
#include <memory>
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

/// Policy "drop": a peer's neighbors, which may go and come back. Holds its edges, its unanswered offers, and
/// the neighbors that wait for a copy of its model. Under policy "wait" edges do not change, and the calls of
/// an iteration do nothing.
template <class Scalar>
class PeerNeighbors {
 public:
  /// `input` must outlive this object.
  explicit PeerNeighbors(const PeerInput<Scalar>& input);

  /// Null under policy "wait".
  const Neighborhood* neighborhood() const { return neighborhood_.get(); }

  // Edges that leave.

  /// The neighbor is lost. False if it was lost before.
  bool lose(PeerId neighbor);
  /// Stops waiting for the missing messages of lost neighbors. Their edges are out from this iteration on,
  /// and the iteration mixes without them.
  void depart_lost(AwaitedPackets& awaited, Iteration<Scalar>& iteration);
  /// Makes the iteration mix by the edges that are in.
  void mix(Iteration<Scalar>& iteration);
  /// True if the sender's edge is out in the message's iteration.
  bool is_out(const MessageKey& key) const { return neighborhood_ && neighborhood_->is_out(key); }
  /// True if a message of `neighbor` in `iteration` that has not come will never come.
  bool lacks(PeerId neighbor, std::uint64_t iteration) const {
    return neighborhood_ && neighborhood_->lacks(neighbor, iteration);
  }

  // Degrees, which travel with the messages.

  std::uint32_t degree_to_send() const { return neighborhood_ ? neighborhood_->announced_degree() : 0; }
  void hear_degree(const MessageKey& key, std::uint32_t degree);

  // Edges that come back: offered to the other end, agreed on, and attached with what both ends have
  // published.

  /// Returns the iteration from which on the edge is offered: that of an earlier unanswered offer, else
  /// `earliest`. Empty if the run has no such iteration, or edges do not return.
  std::optional<std::uint64_t> offer(PeerId neighbor, std::uint64_t earliest);
  /// The edge is in again from `iteration` on. False, and nothing has changed, if that is before `earliest`
  /// or after the run, the neighbor is not lost, or edges do not return.
  bool attach(PeerId neighbor, std::uint64_t iteration, std::uint64_t earliest);
  void withdraw(PeerId neighbor);
  std::vector<PeerId> offered() const;
  /// The first iteration that must not begin before all offers are answered: in it the degrees are announced
  /// with which the edges come back. 0: none may, since the hub is lost.
  std::uint64_t holds_before() const;
  /// True if the hub with which this worker trains is lost. The worker begins no iteration until the edge is
  /// in again.
  bool lacks_hub() const {
    return neighborhood_ && input_.hub && *input_.hub != input_.id && neighborhood_->is_lost(*input_.hub);
  }

  /// Begins iteration `number`. Returns the neighbors whose edges come back with it, ascending, and puts an
  /// attachment for each of them into the outbox.
  std::vector<PeerId> begin_iteration(std::uint64_t number, std::vector<Outgoing>& outbox);
  /// True from then on, if there are such neighbors, until `end_attaching`. The method has not begun.
  bool attaching() const { return attaching_; }
  /// Takes over the attachments that have come; returns `malformed` if one of them does not fit the method.
  CodecStatus end_attaching(const AwaitedPackets& awaited);

  // Peers that join with a copy of this one's model.

  void ask_for_model(PeerId joiner);
  /// Answers all that have asked. `make_copy()` returns a packet of the model; null if the run is about to
  /// end.
  template <class MakeCopy>
  void answer_joiners(const EntryPoint& entry, const MakeCopy& make_copy) {
    for (const PeerId joiner : joiners_) copies_.push_back({joiner, entry, make_copy()});
    joiners_.clear();
  }
  std::vector<ModelCopy>& copies() { return copies_; }

 private:
  /// Sets up the neighborhood. Edges to absent peers are out; if this peer joins, all edges are.
  void meet();

  const PeerInput<Scalar>& input_;
  std::unique_ptr<Neighborhood> neighborhood_;
  // The row that the iteration mixes by. One object, so that references which a method holds while it waits
  // stay valid.
  MixingRow changed_row_;
  bool attaching_ = false;
  std::vector<std::pair<PeerId, std::uint64_t>> offers_;  // unanswered: (neighbor, first iteration)
  std::vector<PeerId> joiners_;                           // neighbors that wait for a copy
  std::vector<ModelCopy> copies_;
};

}  // namespace hearsay
