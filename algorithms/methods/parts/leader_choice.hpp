#pragma once

#include <utility>
#include <vector>

#include "algorithms/compression/seam/shared_selection.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"

namespace hearsay {

/// The coordinates that one peer chooses for all (leader_topk): peer t mod n in iteration t, by its own
/// vector. The choice goes round the ring in n-1 hops, before the packets, which then hold values alone. In a
/// method:
///
///     co_await choice_.round(it, slot, vector);
///     ... encode with choice_.indices(), decode by choice_.accumulate ...
///
/// With other compressors no choice is needed, and every packet holds its own coordinates.
template <class Scalar>
class LeaderChoice {
 public:
  /// `compressor` outlives this object, which is for vectors of `dimension` entries.
  LeaderChoice(PeerId self, PeerId peer_count, Compressor<Scalar>& compressor, Index dimension)
      : self_(self),
        peer_count_(peer_count),
        compressor_(compressor),
        selection_(peer_count > 1 ? compressor.shared_selection() : nullptr),
        dimension_(static_cast<std::size_t>(dimension)) {}

  bool is_needed() const { return selection_ != nullptr; }
  class Round;
  /// co_await choice_.round(it, slot, vector): makes the choice, by the vector, or takes it, and passes it on
  /// in `slot`. Does nothing if no choice is needed. `latest`: see EncodeInput.
  Round round(Iteration<Scalar>& it, Slot slot, const Vector<Scalar>& vector,
              std::span<const Scalar> latest = {}) {
    return {*this, it, slot, vector, latest};
  }
  /// Empty if no choice is needed.
  std::span<const std::uint32_t> indices() const { return indices_; }

  /// into += scale c, from the bytes of a packet of this iteration.
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, Vector<Scalar>& into) {
    return indices_.empty() ? compressor_.accumulate(packet, scale, view(into))
                            : selection_->accumulate_shared(packet, indices_, scale, view(into));
  }

  /// What this peer sends in the iterations after `before`, up to `last`: the packets of a RingGather, and
  /// the choices.
  Traffic traffic(std::uint64_t before, std::uint64_t last) const {
    const Traits traits = compressor_.traits(dimension_);
    const std::uint64_t packets = (last - before) * (std::uint64_t{peer_count_} - 1);
    const std::uint64_t choices = is_needed() ? choices_up_to(last) - choices_up_to(before) : 0;
    const std::uint64_t choice_bytes = is_needed() ? selection_->choice_bytes(dimension_) : 0;
    return {packets + choices, packets * (traits.bytes - choice_bytes) + choices * choice_bytes,
            !traits.data_dependent_size};
  }

 private:
  /// Returns the leader's choice, by `vector`.
  PacketRef made(Iteration<Scalar>& it, const Vector<Scalar>& vector, std::span<const Scalar> latest) {
    PacketBuffer buffer = it.new_packet();
    RandomStream random = it.random(Purpose::compression);
    it.report(selection_->choose({view(vector), random, latest}, buffer));
    return std::move(buffer).seal();
  }

  /// Takes the choice, its own or what came, and passes it on.
  void take(Iteration<Scalar>& it, Slot slot, const PacketRef& packet) {
    const PacketRef choice = packet ? packet : RingGather::undecodable(it);
    if (next() != leader(it.number())) it.send(slot, next(), choice);
    it.report(selection_->read_choice(choice->bytes(), dimension_, indices_));
  }

  bool leads(const Iteration<Scalar>& it) const { return self_ == leader(it.number()); }
  PeerId leader(std::uint64_t number) const { return static_cast<PeerId>(number % peer_count_); }
  PeerId next() const { return (self_ + 1) % peer_count_; }
  PeerId previous() const { return (self_ + peer_count_ - 1) % peer_count_; }
  /// Returns how many choices this peer passes on in the first iterations: one in each, unless the next peer
  /// leads.
  std::uint64_t choices_up_to(std::uint64_t last) const {
    const std::uint64_t first = next() == 0 ? peer_count_ : next();  // in which the next peer leads
    return last - (last < first ? 0 : (last - first) / peer_count_ + 1);
  }

  PeerId self_;
  PeerId peer_count_;
  Compressor<Scalar>& compressor_;
  SharedSelection<Scalar>* selection_;  // of compressor_; null if no choice is needed
  std::size_t dimension_;
  std::vector<std::uint32_t> indices_;  // the leader's choice in this iteration
};

/// The one hop of a choice that a peer takes part in.
template <class Scalar>
class LeaderChoice<Scalar>::Round final : public StepsOf<typename LeaderChoice<Scalar>::Round> {
 public:
  Round(LeaderChoice& choice, Iteration<Scalar>& it, Slot slot, const Vector<Scalar>& vector,
        std::span<const Scalar> latest)
      : choice_(choice),
        it_(it),
        slot_(slot),
        vector_(vector),
        latest_(latest),
        previous_(choice.previous()),
        taken_(!choice.is_needed()) {}

  bool has_more() const { return !taken_; }
  bool begin_step() { return choice_.leads(it_) || it_.request_packets(slot_, {&previous_, 1}); }
  void end_step() {
    choice_.take(it_, slot_,
                 choice_.leads(it_) ? choice_.made(it_, vector_, latest_) : it_.requested_packets().front());
    taken_ = true;
  }

 private:
  LeaderChoice& choice_;
  Iteration<Scalar>& it_;
  Slot slot_;
  const Vector<Scalar>& vector_;
  std::span<const Scalar> latest_;
  PeerId previous_;
  bool taken_;
};

}  // namespace hearsay
