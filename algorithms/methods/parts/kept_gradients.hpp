#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The last m = 4 gradients of each of the first 64 peers with data, from which one peer learns a basis. Of
/// more peers' gradients it would learn for minutes.
template <class Scalar>
class KeptGradients {
 public:
  static constexpr std::uint64_t of_each = 4;  ///< m

  /// `peers` have data.
  explicit KeptGradients(PeerId peers) : counts_(teachers_of(peers)) {}

  /// Returns how many gradients are there after `rounds` rounds in which all spoke.
  static std::uint64_t count_after(std::uint64_t rounds, PeerId peers) {
    return teachers_of(peers) * std::min(of_each, rounds);
  }

  /// Begins to keep gradients in R^d, unless it has begun. What is not there yet is 0.
  void begin(Index dimension) {
    if (gradients_.size() != size_for(dimension)) gradients_.setZero(size_for(dimension));
  }

  /// Keeps a gradient, a message in full precision, in the place of the oldest of the last m of `peer`, the
  /// peers with data being counted from 0.
  void keep(PeerId peer, std::span<const std::byte> gradient) {
    if (peer >= counts_.size()) return;
    const std::size_t length = view(gradients_).size() / (counts_.size() * of_each);
    const std::uint64_t place = peer * of_each + counts_[peer]++ % of_each;
    read_full<Scalar>(gradient, view(gradients_).subspan(place * length, length));
  }

  /// The gradients, one behind the other. Empty before the beginning, and after the end.
  std::span<const Scalar> all() const { return view(gradients_); }
  void end() { gradients_.resize(0); }

  void visit(StateVisitor<Scalar>& visitor) {
    visitor.late_state("kept gradients", gradients_);
    visitor.numbers("gradients kept", counts_);
  }
  /// True if the state that a visitor has written is empty, or gradients in R^d.
  bool is_sound(Index dimension) const {
    return gradients_.size() == 0 || gradients_.size() == size_for(dimension);
  }

 private:
  static std::uint64_t teachers_of(PeerId peers) { return std::min<std::uint64_t>(64, peers); }
  Index size_for(Index dimension) const { return static_cast<Index>(counts_.size() * of_each) * dimension; }

  Vector<Scalar> gradients_;
  std::vector<std::uint64_t> counts_;  // how many gradients were kept of each peer
};

}  // namespace hearsay
