#pragma once

#include <utility>
#include <vector>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The packets of all peers, by a ring all-gather: n-1 hops, in each of which a peer passes on what came in
/// the hop before, the same bytes. In a method:
///
///     gather_.begin(it, slot, packet);
///     for (PeerId hop = 1; hop < gather_.peer_count(); ++hop) {
///       const PacketRef packet = co_await it.receive(slot + hop - 1, gather_.previous());
///       gather_.take(it, slot, hop, packet);
///     }
///     ... gather_.of(j) ...                                     for j = 0 ... n-1
///     gather_.end();
///
/// Source     the all-gather of Patarasuk and Yuan 2009, section 4.
class RingGather {
 public:
  RingGather(PeerId self, PeerId peer_count) : self_(self), packets_(peer_count) {}

  PeerId next() const { return (self_ + 1) % peer_count(); }
  PeerId previous() const { return back(1); }
  PeerId hops() const { return peer_count() - 1; }

  /// Sends this peer's own packet, in the slot `first`. The hops take as many slots as they are.
  template <class Scalar>
  void begin(Iteration<Scalar>& it, Slot first, PacketRef own) {
    packets_[self_] = std::move(own);
    if (hops() > 0) it.send(first, next(), packets_[self_]);
  }

  /// Takes the packet of hop 1 ... n-1, and passes it on. A message that did not come is an empty packet,
  /// which nobody can decode.
  template <class Scalar>
  void take(Iteration<Scalar>& it, Slot first, PeerId hop, const PacketRef& packet) {
    packets_[back(hop)] = packet ? packet : undecodable(it);
    if (hop < hops()) it.send(first + hop, next(), packets_[back(hop)]);
  }

  /// Returns peer j's packet.
  const PacketRef& of(PeerId j) const { return packets_[j]; }
  PeerId peer_count() const { return static_cast<PeerId>(packets_.size()); }

  /// Gives the packets back.
  void end() {
    for (PacketRef& packet : packets_) packet = {};
  }

  /// Returns a packet in the place of a message that did not come, and reports it.
  template <class Scalar>
  static PacketRef undecodable(Iteration<Scalar>& it) {
    it.report(CodecStatus::malformed);
    PacketBuffer buffer = it.new_packet();
    buffer.resize(0);
    return std::move(buffer).seal();
  }

 private:
  /// Returns the peer that is `steps` places back on the ring.
  PeerId back(PeerId steps) const { return (self_ + peer_count() - steps) % peer_count(); }

  PeerId self_;
  std::vector<PacketRef> packets_;
};

}  // namespace hearsay
