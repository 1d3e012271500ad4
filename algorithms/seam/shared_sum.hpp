#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/seam/packet.hpp"

namespace hearsay {

/// The sum of the packets of all peers, for peers in one process: the first peer that has them all adds them
/// up, the others read its sum. For methods in which every peer adds up the same packets, once in an
/// iteration, before it sends its next one. So everybody has a sum before anybody needs the next, and one sum
/// is kept.
///
/// Memory     the sum, and references to its packets until the last peer has taken it.
/// Threads    any number may take it: one adds up, and those that come meanwhile wait for it.
template <class Scalar>
class SharedSum {
 public:
  /// Returns the sum of `packets`, one for each peer, in R^dimension. Valid until this peer takes another
  /// sum. `add_up(sum)` computes it, and returns true if all packets could be decoded; if not, every peer
  /// finds out for itself.
  template <class AddUp>
  const Vector<Scalar>& take(std::span<const PacketRef> packets, Index dimension, AddUp add_up) {
    const std::lock_guard lock(mutex_);
    if (takers_ > 0 && std::ranges::equal(packets, packets_)) {
      if (--takers_ == 0) packets_.clear();
      return sum_;
    }
    packets_.clear();
    sum_.resize(dimension);
    takers_ = add_up(sum_) ? packets.size() - 1 : 0;
    if (takers_ > 0) packets_.assign(packets.begin(), packets.end());
    return sum_;
  }

 private:
  std::mutex mutex_;  ///< over the rest
  /// In their order. No other packet has the address of one of them while they are held.
  std::vector<PacketRef> packets_;
  Vector<Scalar> sum_;
  std::size_t takers_ = 0;  ///< the peers that have not taken the sum yet
};

}  // namespace hearsay
