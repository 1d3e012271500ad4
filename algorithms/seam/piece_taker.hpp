#pragma once

#include <cstddef>
#include <span>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Takes in the messages that a method waits for piece by piece, as they come (Iteration::take_pieces).
class PieceTaker {
 public:
  /// Takes in some bytes of the message of `sender`, the `from`th and those after it. The pieces of a message
  /// come in order, from its first byte on. Returns false if they have to wait for those of another message:
  /// then they are offered again. May be called while a gradient is computed, in another thread than that.
  virtual bool take(PeerId sender, std::size_t from, std::span<const std::byte> bytes) = 0;
  /// Nothing follows of the message of `sender`. It had `bytes` bytes; 0: it came otherwise.
  virtual void end(PeerId sender, std::size_t bytes) = 0;

 protected:
  ~PieceTaker() = default;
};

}  // namespace hearsay
