#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The sum of a vector over all peers, by recursive doubling. With m the largest power of two that is at most
/// n:
///
///   fold      peer m+i hands its vector to peer i, which adds it              i < n-m; only if n > m
///   exchange  k = 0, ..., log2 m - 1: peers i and i xor 2^k swap their sums, and add     i < m
///   unfold    peer i hands the sum to peer m+i                                i < n-m; only if n > m
///
/// The sums are equal at all peers, bit for bit: the two peers of a swap add the same two numbers. There are
/// fewer steps than round a ring (RingSum), and each of them has the whole vector: this is sooner if latency
/// counts, and takes more bytes.
///
/// Source     Thakur, Rabenseifner, Gropp 2005, sections 4.4 and 4.5 (the fold by whole peers).
class DoublingSum {
 public:
  DoublingSum(PeerId self, PeerId peer_count)
      : self_(self), power_(std::bit_floor(peer_count)), rest_(peer_count - power_) {}

  Slot steps() const { return swaps() + (rest_ > 0 ? 2 : 0); }

  /// Returns whom this peer sends a vector in a step, and from whom it awaits one; empty if nobody.
  std::optional<PeerId> receiver_in(Slot step) const {
    return sends_in(step) ? std::optional(partner_in(step)) : std::nullopt;
  }
  std::optional<PeerId> sender_in(Slot step) const {
    return hears_in(step) ? std::optional(partner_in(step)) : std::nullopt;
  }

  template <class Scalar>
  class Travel;
  /// co_await sum.sum(it, vector): turns the vector into the sum. Each step has a slot, the first one
  /// `first`.
  template <class Scalar>
  Travel<Scalar> sum(Iteration<Scalar>& it, std::span<Scalar> vector, Slot first = 0) const {
    return {*this, it, vector, first};
  }

  /// What this peer sends for a vector of `dimension` scalars of `scalar_bytes` each.
  Traffic traffic(std::uint64_t dimension, std::uint64_t scalar_bytes) const {
    const std::uint64_t messages = is_folded() ? 1 : swaps() + (has_folded() ? 1 : 0);
    return {messages, messages * dimension * scalar_bytes};
  }

 private:
  Slot swaps() const { return static_cast<Slot>(std::countr_zero(power_)); }
  bool is_folded() const { return self_ >= power_; }
  bool has_folded() const { return self_ < rest_; }

  // The steps in their order: fold, the swaps, unfold.
  bool is_fold(Slot step) const { return rest_ > 0 && step == 0; }
  bool is_unfold(Slot step) const { return rest_ > 0 && step == 1 + swaps(); }
  /// True if this peer hands a vector out in the step.
  bool sends_in(Slot step) const {
    return is_fold(step) ? is_folded() : is_unfold(step) ? has_folded() : !is_folded();
  }
  bool hears_in(Slot step) const {
    return is_fold(step) ? has_folded() : is_unfold(step) ? is_folded() : !is_folded();
  }
  PeerId partner_in(Slot step) const {
    if (is_fold(step) || is_unfold(step)) return is_folded() ? self_ - power_ : self_ + power_;
    const Slot k = rest_ > 0 ? step - 1 : step;
    return self_ ^ (PeerId{1} << k);
  }

  PeerId self_;
  PeerId power_;  // m
  PeerId rest_;   // n - m
};

/// A sum on its way.
template <class Scalar>
class DoublingSum::Travel final : public StepsOf<DoublingSum::Travel<Scalar>> {
 public:
  Travel(const DoublingSum& of, Iteration<Scalar>& it, std::span<Scalar> vector, Slot first)
      : of_(of), it_(it), vector_(vector), first_(first) {}

  bool has_more() const { return step_ < of_.steps(); }
  /// A step in which this peer hears nothing is done at once, and the next one begun.
  bool begin_step() {
    send();
    while (!of_.hears_in(step_)) {
      ++step_;
      send();
    }
    partner_ = of_.partner_in(step_);
    return it_.request_packets(first_ + step_, {&partner_, 1});
  }
  void end_step() {
    const PacketRef& packet = it_.requested_packets().front();
    const bool fits = packet && (of_.is_unfold(step_) ? read_full<Scalar>(packet->bytes(), vector_)
                                                      : add_full<Scalar>(packet->bytes(), 1, vector_));
    if (!fits) it_.report(CodecStatus::malformed);
    ++step_;
    if (of_.is_unfold(step_) && !of_.is_folded()) {
      send();
      ++step_;
    }
  }

 private:
  void send() {
    if (!of_.sends_in(step_)) return;
    PacketBuffer buffer = it_.new_packet();
    write_full<Scalar>(vector_, buffer);
    it_.send(first_ + step_, of_.partner_in(step_), std::move(buffer).seal());
  }

  const DoublingSum& of_;
  Iteration<Scalar>& it_;
  std::span<Scalar> vector_;
  Slot first_;
  Slot step_ = 0;
  PeerId partner_ = 0;  // whose message it awaits
};

}  // namespace hearsay
