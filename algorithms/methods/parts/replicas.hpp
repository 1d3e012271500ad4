#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "algorithms/arithmetic/blocks.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// A peer's copies ("hearsay") of its neighbors' published vectors, one per neighbor, in ascending id.
template <class Scalar>
class Replicas {
 public:
  /// Every copy starts at `initial`, which all peers share.
  Replicas(const std::vector<PeerId>& owners, const Vector<Scalar>& initial)
      : owners_(owners), copies_(owners.size(), initial), heard_(owners.size(), 0) {}

  Vector<Scalar>& of(PeerId owner) { return copies_[place_of(owner)]; }

  /// Updates the replica of every neighbor by its packet: replica_j += decoded(packet_j), the packets in the
  /// order of `neighbors`. A replica stays as it is if there is no packet, or an empty message while
  /// `silence_allowed`.
  CodecStatus hear(Compressor<Scalar>& compressor, std::span<const WeightedNeighbor> neighbors,
                   std::span<const PacketRef> packets, bool silence_allowed = false) {
    return hear_by([&](std::span<const std::byte> packet, PeerId,
                       Vector<Scalar>& copy) { return compressor.accumulate(packet, 1, view(copy)); },
                   neighbors, packets, silence_allowed);
  }

  /// The same with `apply(packet, owner, replica)` for every packet.
  template <class Apply>
  CodecStatus hear_by(Apply apply, std::span<const WeightedNeighbor> neighbors,
                      std::span<const PacketRef> packets, bool silence_allowed = false) {
    CodecStatus status = CodecStatus::ok;
    for (std::size_t j = 0; j < neighbors.size(); ++j) {
      if (!packets[j] || (silence_allowed && packets[j]->size() == 0)) continue;
      const PeerId owner = neighbors[j].id;
      const CodecStatus one = apply(packets[j]->bytes(), owner, of(owner));
      if (one != CodecStatus::ok) status = one;
    }
    return status;
  }

  /// The same if W changes: every replica catches up with its owner by a message of the owner's backlog.
  /// `replay(packet, number, replica)` applies the owner's `number`-th packet.
  template <class Replay>
  CodecStatus catch_up_by(Replay replay, std::span<const WeightedNeighbor> neighbors,
                          std::span<const PacketRef> messages) {
    CodecStatus status = CodecStatus::ok;
    for (std::size_t j = 0; j < neighbors.size(); ++j) {
      if (!messages[j]) continue;
      const std::size_t place = place_of(neighbors[j].id);
      Vector<Scalar>& copy = copies_[place];
      const CodecStatus one = hearsay::catch_up(messages[j]->bytes(), heard_[place], copy,
                                                [&](std::span<const std::byte> packet, std::uint64_t number) {
                                                  return replay(packet, number, copy);
                                                });
      if (one != CodecStatus::ok) status = one;
    }
    return status;
  }

  /// The same with replica_j += decoded(packet) for every packet.
  CodecStatus catch_up(Compressor<Scalar>& compressor, std::span<const WeightedNeighbor> neighbors,
                       std::span<const PacketRef> messages) {
    return catch_up_by([&](std::span<const std::byte> packet, std::uint64_t,
                           Vector<Scalar>& copy) { return compressor.accumulate(packet, 1, view(copy)); },
                       neighbors, messages);
  }

  /// into += factor sum_j w_ij (replica_j - own): gossip on replicas, in edge-difference form.
  void add_differences(std::span<const WeightedNeighbor> neighbors, const Vector<Scalar>& own, Scalar factor,
                       Vector<Scalar>& into) {
    by_blocks(into.size(), [&](Block block) { add_differences(neighbors, own, factor, into, block); });
  }
  /// The same in one block of `into`.
  void add_differences(std::span<const WeightedNeighbor> neighbors, const Vector<Scalar>& own, Scalar factor,
                       Vector<Scalar>& into, Block block) {
    for (const auto& [j, weight] : neighbors)
      part(into, block) += factor * static_cast<Scalar>(weight) * (part(of(j), block) - part(own, block));
  }

  void visit(StateVisitor<Scalar>& visitor, std::string_view name = "replica") {
    for (std::size_t k = 0; k < owners_.size(); ++k) visitor.replica(name, owners_[k], copies_[k]);
    visitor.numbers(name, heard_);
  }

 private:
  std::size_t place_of(PeerId owner) const {
    const auto found = std::lower_bound(owners_.begin(), owners_.end(), owner);
    ensure(found != owners_.end() && *found == owner, "a replica is kept of every neighbor that is heard");
    return static_cast<std::size_t>(found - owners_.begin());
  }

  std::vector<PeerId> owners_;
  std::vector<Vector<Scalar>> copies_;
  std::vector<std::uint64_t> heard_;  // packets heard, by owner; 0 without a backlog
};

}  // namespace hearsay
