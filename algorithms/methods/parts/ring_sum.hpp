#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The sum of a vector over all peers, by a ring all-reduce:
///
///   reduce-scatter  n-1 steps: pass a partial sum of one of n chunks on to peer i+1, add this peer's part to
///                   the chunk that comes from peer i-1
///   all-gather      n-1 steps: pass a complete chunk on
///
/// Chunk c is [floor(c d / n), floor((c+1) d / n)). The sums are equal at all peers, bit for bit, by
/// construction: every chunk is summed in one order (that of the ring, beginning with peer c) and then
/// copied. In a method:
///
///     for (Slot step = 0; step < ring_.steps(); ++step) {
///       it.send(step, ring_.next(), ring_.passed_on<Scalar>(it, step, view(sum_)));
///       ring_.take<Scalar>(it, step, co_await it.receive(step, ring_.previous()), view(sum_));
///     }
///
/// Source     the bandwidth-optimal ring of Patarasuk and Yuan 2009, section 4.
class RingSum {
 public:
  RingSum(PeerId self, PeerId peer_count) : self_(self), peer_count_(peer_count) {}

  PeerId next() const { return (self_ + 1) % peer_count_; }
  PeerId previous() const { return (self_ + peer_count_ - 1) % peer_count_; }
  Slot steps() const { return 2 * (peer_count_ - 1); }

  /// Returns the message of a step: chunk i-s of the reduce-scatter, then chunk i+1-s of the all-gather.
  template <class Scalar>
  PacketRef passed_on(Iteration<Scalar>& it, Slot step, std::span<Scalar> sum) const {
    PacketBuffer buffer = it.new_packet();
    write_full<Scalar>(chunk(sum, sent_in(step)), buffer);
    return std::move(buffer).seal();
  }

  /// Takes the message of a step: a partial sum is added, a complete chunk is copied.
  template <class Scalar>
  void take(Iteration<Scalar>& it, Slot step, const PacketRef& packet, std::span<Scalar> sum) const {
    const std::span<Scalar> into = chunk(sum, heard_in(step));
    const bool fits = packet && (step + 1 < peer_count_ ? add_full<Scalar>(packet->bytes(), 1, into)
                                                        : read_full<Scalar>(packet->bytes(), into));
    if (!fits) it.report(CodecStatus::malformed);
  }

  /// What this peer sends for a vector of `dimension` scalars of `scalar_bytes` each. Every chunk passes
  /// through this peer twice, except the two chunks whose way begins or ends here.
  Traffic traffic(std::uint64_t dimension, std::uint64_t scalar_bytes) const {
    Traffic traffic{steps(), 0};
    for (Slot step = 0; step < steps(); ++step) {
      const PeerId c = sent_in(step);
      traffic.payload_bytes += (begin_of(c + 1, dimension) - begin_of(c, dimension)) * scalar_bytes;
    }
    return traffic;
  }

 private:
  PeerId sent_in(Slot step) const {
    return back(step);  // in the all-gather i+1-s', s' = step - (n-1): the same place on the ring
  }
  PeerId heard_in(Slot step) const {
    return step + 1 < peer_count_ ? back(step + 1) : back(step - (peer_count_ - 1));
  }
  PeerId back(Slot places) const { return (self_ + 2 * peer_count_ - places) % peer_count_; }
  std::uint64_t begin_of(std::uint64_t chunk, std::uint64_t dimension) const {
    return chunk * dimension / peer_count_;
  }
  template <class Scalar>
  std::span<Scalar> chunk(std::span<Scalar> sum, PeerId c) const {
    const std::uint64_t begin = begin_of(c, sum.size());
    return sum.subspan(begin, begin_of(c + 1, sum.size()) - begin);
  }

  PeerId self_;
  PeerId peer_count_;
};

}  // namespace hearsay
