#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/seam/packet.hpp"

namespace hearsay {

/// A vector that travels as it stands: its messages share its storage. When the method goes on with another
/// one, the storage stays with them until the last has arrived, and is then that of a later vector.
template <class Scalar>
class VectorOnTheWay {
 public:
  /// Returns a packet of `vector`, which stays as it is until `replace` or `leave` gets it.
  PacketRef packet(const Vector<Scalar>& vector) {
    // The second vector is taken now: later, pieces of messages lie between the free blocks of the heap.
    if (!leaving_ && left_.empty()) left_.push_back(std::make_shared<Vector<Scalar>>(vector.size()));
    leaving_ = std::make_shared<Vector<Scalar>>();
    return packet_at(std::as_bytes(view(vector)), leaving_);
  }

  /// vector <- next, of the same size; next <- storage of that size that nobody reads.
  void replace(Vector<Scalar>& vector, Vector<Scalar>& next) {
    const Index size = vector.size();
    leave(vector);
    vector.swap(next);
    const auto free = std::ranges::find_if(left_, [](const auto& kept) { return kept.use_count() == 1; });
    if (free != left_.end()) {
      // What readers of the storage have done in other threads comes before what is written now.
      std::atomic_thread_fence(std::memory_order_acquire);
      next.swap(**free);
      left_.erase(free);
    } else {
      next.resize(size);
    }
  }

  /// Leaves the storage of `vector` to its packets. The vector is empty afterwards, if it has any.
  void leave(Vector<Scalar>& vector) {
    if (!leaving_) return;
    leaving_->swap(vector);
    left_.push_back(std::move(leaving_));
    leaving_.reset();
  }

 private:
  std::shared_ptr<Vector<Scalar>> leaving_;            // gets the storage of the vector that was sent last
  std::vector<std::shared_ptr<Vector<Scalar>>> left_;  // that of earlier ones
};

}  // namespace hearsay
