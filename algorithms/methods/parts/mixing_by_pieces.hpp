#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/arithmetic/blocks.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/seam/iteration.hpp"
#include "algorithms/seam/piece_taker.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// A sum in edge-difference form that goes on as messages come, piece by piece:
///
///   mixing   into = own + step sum_j w_ij (message_j - own)     j over the neighbors that i hears, in
///   pull     into =            sum_j w_ij (message_j - own)     ascending id
///
/// A coordinate takes in a neighbor's message after those of the neighbors before it. So its bits are those
/// of `add_differences`, in whatever order pieces come, and no long message is kept whole. A message of
/// another size than `own` is left out: its neighbor's weight stays with `own`.
template <class Scalar>
class MixingByPieces final : public PieceTaker {
 public:
  /// Begins to take in what the neighbors send in `slot`. Until `finish`, `own` stays as it is, and `into`,
  /// of the same size, belongs to this object. No piece comes before the next wait.
  void begin_mixing(Iteration<Scalar>& it, Slot slot, const Vector<Scalar>& own, double step,
                    Vector<Scalar>& into) {
    begin(it, slot, own, step, into, true);
  }
  void begin_pull(Iteration<Scalar>& it, Slot slot, const Vector<Scalar>& own, Vector<Scalar>& into) {
    begin(it, slot, own, 1.0, into, false);
  }

  /// Ends, with what `collect` has returned, and the row after it. Messages that came as packets are mixed
  /// now. Returns malformed if a message had another size.
  CodecStatus finish(const MixingRow& row, std::span<const PacketRef> packets) {
    if (std::ranges::all_of(mixed_, [](Index count) { return count == 0; })) {
      by_blocks(own_->size(), [this](Block block) { start(block); });
      return add_differences(row, packets, *own_, step_, *into_);
    }
    ensure(std::ranges::all_of(mixed_, [this](Index count) { return count == own_->size(); }),
           "messages of one slot come all in pieces, or none");
    return status_;
  }

  bool take(PeerId sender, std::size_t from, std::span<const std::byte> bytes) override {
    const std::size_t j = place_of(sender);
    if (j == neighbors_.size()) return true;  // it is not heard in this round
    const Block piece{static_cast<Index>(from / sizeof(Scalar)),
                      static_cast<Index>(bytes.size() / sizeof(Scalar))};
    const Index end = piece.begin + piece.size;
    const bool is_whole = from % sizeof(Scalar) == 0 && bytes.size() % sizeof(Scalar) == 0;
    if (!is_whole || piece.begin != mixed_[j] || end > own_->size()) return true;  // see `end`
    if (std::ranges::any_of(mixed_.begin(), mixed_.begin() + static_cast<std::ptrdiff_t>(j),
                            [end](Index count) { return count < end; }))
      return false;
    by_blocks(piece.size, [&](Block within) {
      const Block block{piece.begin + within.begin, within.size};
      if (j == 0) start(block);
      add(j, bytes.subspan(static_cast<std::size_t>(within.begin) * sizeof(Scalar)), block);
    });
    mixed_[j] = end;
    return true;
  }

  void end(PeerId sender, std::size_t bytes) override {
    const std::size_t j = place_of(sender);
    const bool is_taken = j < neighbors_.size() && mixed_[j] == own_->size();
    if (j == neighbors_.size() || is_taken || bytes == view(*own_).size_bytes()) return;
    status_ = CodecStatus::malformed;
    if (j == 0) start({mixed_[j], own_->size() - mixed_[j]});
    mixed_[j] = own_->size();
  }

 private:
  void begin(Iteration<Scalar>& it, Slot slot, const Vector<Scalar>& own, double step, Vector<Scalar>& into,
             bool adds_own) {
    ensure(own.size() == into.size(), "a mixing step adds to a vector of the model's size");
    own_ = &own;
    into_ = &into;
    step_ = step;
    adds_own_ = adds_own;
    mixed_.clear();
    if (!it.takes_pieces()) return;
    neighbors_ = it.mixing().hears;
    mixed_.assign(neighbors_.size(), 0);
    status_ = CodecStatus::ok;
    it.take_pieces(slot, *this);
  }

  /// The sum of no message.
  void start(Block block) {
    if (adds_own_)
      part(*into_, block) = part(*own_, block);
    else
      part(*into_, block).setZero();
  }

  /// The number of neighbors for anybody else.
  std::size_t place_of(PeerId sender) const {
    const auto found = std::ranges::find(neighbors_, sender, &WeightedNeighbor::id);
    return static_cast<std::size_t>(found - neighbors_.begin());
  }

  /// Adds what the `j`th neighbor says of a block, from the first byte of `bytes` on.
  void add(std::size_t j, std::span<const std::byte> bytes, Block block) {
    const std::span<Scalar> sums = part(view(*into_), block);
    add_weighted_difference<Scalar>(bytes.first(sums.size_bytes()),
                                    static_cast<Scalar>(step_ * neighbors_[j].weight),
                                    part(view(*own_), block), sums);
  }

  const Vector<Scalar>* own_ = nullptr;
  Vector<Scalar>* into_ = nullptr;
  double step_ = 0.0;
  bool adds_own_ = true;
  std::vector<WeightedNeighbor> neighbors_;
  std::vector<Index> mixed_;  // by neighbor: how many coordinates of its message are taken in
  CodecStatus status_ = CodecStatus::ok;
};

}  // namespace hearsay
