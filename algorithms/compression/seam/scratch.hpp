#pragma once

#include <cstddef>

namespace hearsay {

/// What a peer does with a compressor.
enum class CodecUse { decodes, encodes_and_decodes };

/// A compressor, or a stage of one, that keeps storage from message to message which grows with the vector.
class KeepsScratch {
 public:
  /// Returns about how many bytes that is for vectors of so many coordinates.
  virtual std::size_t scratch_bytes(std::size_t dimension, CodecUse use) const = 0;

 protected:
  ~KeepsScratch() = default;
};

/// The same of any compressor or stage: most keep none.
template <class Stage>
std::size_t scratch_bytes(const Stage& stage, std::size_t dimension, CodecUse use) {
  const auto* const keeps = dynamic_cast<const KeepsScratch*>(&stage);
  return keeps ? keeps->scratch_bytes(dimension, use) : 0;
}

}  // namespace hearsay
