#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// For compressors whose coordinates one peer, the leader, may choose for all (ScaleCom's CLT-k). The choice
/// is a message of its own; with it as EncodeInput::shared_indices, a message holds the values alone. Since
/// all peers keep the same coordinates, what is kept of a mean is the mean of what is kept.
template <class Scalar>
class SharedSelection {
 public:
  /// The bytes of a choice; a message with shared indices is shorter by as much. Exact, or an upper bound if
  /// the traits say that sizes depend on the data.
  virtual std::size_t choice_bytes(std::size_t dimension) const = 0;
  /// Writes the leader's choice for input.vector. A vector that is not finite has a choice, too; the status
  /// then says so.
  virtual CodecStatus choose(const EncodeInput<Scalar>& input, PacketBuffer& out) = 0;
  /// The indices in a choice for vectors of that dimension. Accepts arbitrary bytes; any status but `ok`
  /// leaves `indices` empty.
  virtual CodecStatus read_choice(std::span<const std::byte> packet, std::size_t dimension,
                                  std::vector<std::uint32_t>& indices) = 0;
  /// Compressor::accumulate for a message that was encoded with these shared indices.
  virtual CodecStatus accumulate_shared(std::span<const std::byte> packet,
                                        std::span<const std::uint32_t> indices, Scalar scale,
                                        std::span<Scalar> into) = 0;

 protected:
  ~SharedSelection() = default;
};

}  // namespace hearsay
