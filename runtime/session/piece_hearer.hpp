#pragma once

#include <cstddef>
#include <span>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// Who takes in long messages piece by piece, as they come.
class PieceHearer {
 public:
  /// Takes in some bytes of a message, the `from`th and those after it. The pieces of a message come in
  /// order. Returns false if it cannot take them yet.
  virtual bool hear_piece(const MessageKey& message, std::size_t from, std::span<const std::byte> bytes) = 0;

 protected:
  ~PieceHearer() = default;
};

}  // namespace hearsay
