#pragma once

#include <span>
#include <utility>
#include <vector>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The packets of all peers, by a ring all-gather: n-1 hops, in each of which a peer passes on what came in
/// the hop before, the same bytes. In a method:
///
///     gather_.begin(it, packet);
///     ...                                                       while the packets travel
///     co_await gather_.rest(it);
///     ... gather_.of(j) ...                                     for j = 0 ... n-1
///     gather_.end();
///
/// Source     the all-gather of Patarasuk and Yuan 2009, section 4.
class RingGather {
 public:
  RingGather(PeerId self, PeerId peer_count) : self_(self), packets_(peer_count) {}

  PeerId hops() const { return peer_count() - 1; }

  /// Sends this peer's own packet. The hops have a slot each, from `first` on.
  template <class Scalar>
  void begin(Iteration<Scalar>& it, PacketRef own, Slot first = 0) {
    first_ = first;
    packets_[self_] = std::move(own);
    if (hops() > 0) it.send(first, next(), packets_[self_]);
  }

  template <class Scalar>
  class Hops;
  /// co_await gather_.rest(it): takes the packets of the other peers, and passes them on.
  template <class Scalar>
  Hops<Scalar> rest(Iteration<Scalar>& it) {
    return {*this, it};
  }

  /// Returns peer j's packet.
  const PacketRef& of(PeerId j) const { return packets_[j]; }
  /// All packets, in ascending peers.
  std::span<const PacketRef> all() const { return packets_; }
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
  /// Takes the packet of hop 1 ... n-1, and passes it on. A message that did not come is an empty packet,
  /// which nobody can decode.
  template <class Scalar>
  void take(Iteration<Scalar>& it, PeerId hop, const PacketRef& packet) {
    packets_[back(hop)] = packet ? packet : undecodable(it);
    if (hop < hops()) it.send(first_ + hop, next(), packets_[back(hop)]);
  }
  PeerId next() const { return (self_ + 1) % peer_count(); }
  PeerId previous() const { return back(1); }
  /// Returns the peer that is `steps` places back on the ring.
  PeerId back(PeerId steps) const { return (self_ + peer_count() - steps) % peer_count(); }

  PeerId self_;
  std::vector<PacketRef> packets_;
  Slot first_ = 0;  // of the hops
};

/// The hops of a RingGather.
template <class Scalar>
class RingGather::Hops final : public StepsOf<RingGather::Hops<Scalar>> {
 public:
  Hops(RingGather& gather, Iteration<Scalar>& it) : gather_(gather), it_(it), previous_(gather.previous()) {}

  bool has_more() const { return done_ < gather_.hops(); }
  bool begin_step() { return it_.request_packets(gather_.first_ + done_, {&previous_, 1}); }
  void end_step() { gather_.take(it_, ++done_, it_.requested_packets().front()); }

 private:
  RingGather& gather_;
  Iteration<Scalar>& it_;
  PeerId previous_;
  PeerId done_ = 0;
};

}  // namespace hearsay
