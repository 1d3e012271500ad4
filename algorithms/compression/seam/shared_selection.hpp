#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// For compressors whose coordinates one peer, the leader, may choose for all peers (ScaleCom's CLT-k). The
/// leader's choice is a message of its own. A message encoded with that choice as EncodeInput::shared_indices
/// holds the values alone. Since all peers keep the same coordinates, selecting from a mean gives the mean of
/// the selections.
template <class Scalar>
class SharedSelection {
 public:
  /// The size of a choice in bytes; a message with shared indices is shorter by as much. Exact, or an upper
  /// bound if the traits have data_dependent_size.
  virtual std::size_t choice_bytes(std::size_t dimension) const = 0;
  /// Writes the leader's choice for input.vector. For a vector that is not finite, it writes some choice,
  /// too, and returns not_finite.
  virtual CodecStatus choose(const EncodeInput<Scalar>& input, PacketBuffer& out) = 0;
  /// Reads the indices of a choice for vectors of `dimension` entries. Accepts arbitrary bytes. Any status
  /// but `ok` leaves `indices` empty.
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
