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
///   all-gather      n-1 steps: pass a complete chunk on, the same bytes
///
/// Chunk c is [floor(c d / n), floor((c+1) d / n)). The sums are equal at all peers, bit for bit, by
/// construction: every chunk is summed in one order (that of the ring, beginning with peer c) and then
/// copied. In a method:
///
///     co_await ring_.sum(it, view(sum_));
///
/// or, with other things to do while the chunks travel:
///
///     auto travel = ring_.sum(it, view(sum_));
///     travel.pass_on();
///     ... co_await it.gradient(x_) ...
///     travel.pause_before(step);                                step <= ring_.steps()
///     co_await travel;
///     travel.pass_on();
///
/// Source     the bandwidth-optimal ring of Patarasuk and Yuan 2009, section 4.
class RingSum {
 public:
  RingSum(PeerId self, PeerId peer_count) : self_(self), peer_count_(peer_count) {}

  Slot steps() const { return 2 * (peer_count_ - 1); }
  /// Returns whom this peer sends to.
  PeerId next() const { return (self_ + 1) % peer_count_; }

  template <class Scalar>
  class Travel;
  /// co_await ring_.sum(it, vector): turns the vector into the sum. Each step has a slot, the first one
  /// `first`.
  template <class Scalar>
  Travel<Scalar> sum(Iteration<Scalar>& it, std::span<Scalar> vector, Slot first = 0) const {
    return {*this, it, vector, first};
  }

  /// What this peer sends for a vector of `dimension` scalars of `scalar_bytes` each. Every chunk passes
  /// through this peer twice, except the two chunks whose way begins or ends here.
  Traffic traffic(std::uint64_t dimension, std::uint64_t scalar_bytes) const {
    if (peer_count_ == 1) return {};
    const auto length = [&](PeerId c) { return begin_of(c + 1, dimension) - begin_of(c, dimension); };
    return {steps(), (2 * dimension - length(next()) - length((self_ + 2) % peer_count_)) * scalar_bytes};
  }

 private:
  /// Returns the message of a step, made of this peer's chunk: i-s of the reduce-scatter, then i+1-s of the
  /// all-gather.
  template <class Scalar>
  PacketRef passed_on(Iteration<Scalar>& it, Slot step, std::span<Scalar> sum) const {
    return it.lent_packet(std::span<const Scalar>(chunk(sum, sent_in(step))));
  }

  /// Takes the message of a step: a partial sum is added, a complete chunk is copied. Returns the message if
  /// it is a complete chunk, which is passed on as it is; else an empty reference.
  template <class Scalar>
  PacketRef take(Iteration<Scalar>& it, Slot step, const PacketRef& packet, std::span<Scalar> sum) const {
    const std::span<Scalar> into = chunk(sum, heard_in(step));
    const bool is_partial = step + 1 < peer_count_;
    const bool fits = packet && (is_partial ? add_full<Scalar>(packet->bytes(), 1, into)
                                            : read_full<Scalar>(packet->bytes(), into));
    if (!fits) it.report(CodecStatus::malformed);
    return fits && !is_partial ? packet : PacketRef();
  }

  PeerId previous() const { return (self_ + peer_count_ - 1) % peer_count_; }
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

/// A sum on its way round the ring.
template <class Scalar>
class RingSum::Travel final : public StepsOf<RingSum::Travel<Scalar>> {
 public:
  Travel(const RingSum& ring, Iteration<Scalar>& it, std::span<Scalar> vector, Slot first)
      : ring_(ring),
        it_(it),
        vector_(vector),
        first_(first),
        previous_(ring.previous()),
        pause_before_(ring.steps()) {}

  /// co_await travel: only the steps before this one.
  void pause_before(Slot step) { pause_before_ = step; }
  /// Sends the message of the next step, which otherwise leaves when that step is awaited.
  void pass_on() {
    if (sent_ > taken_ || taken_ == ring_.steps()) return;
    it_.send(first_ + taken_, ring_.next(), complete_ ? complete_ : ring_.passed_on(it_, taken_, vector_));
    ++sent_;
  }

  bool has_more() const { return taken_ < pause_before_; }
  bool begin_step() {
    pass_on();
    return it_.request_packets(first_ + taken_, {&previous_, 1});
  }
  void end_step() {
    complete_ = ring_.take(it_, taken_, it_.requested_packets().front(), vector_);
    ++taken_;
  }

 private:
  const RingSum& ring_;
  Iteration<Scalar>& it_;
  std::span<Scalar> vector_;
  Slot first_;
  PeerId previous_;
  Slot pause_before_;
  Slot sent_ = 0;       // steps whose message was sent
  Slot taken_ = 0;      // steps that are done
  PacketRef complete_;  // the chunk that came in the step before, if it is complete
};

}  // namespace hearsay
