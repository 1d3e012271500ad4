#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/quantizer.hpp"

namespace hearsay {

struct CodedValues {
  CodecStatus status;  ///< of the quantizer
  std::size_t bytes;   ///< how many bytes the codes take
};

/// Values to codes to bytes, tile by tile if both stages take parts: a tile's codes are appended to the
/// message while they are in the first-level cache. The bytes are those of one stage after the other over all
/// values. `codes` is scratch space.
template <class Scalar>
CodedValues quantize_and_code(const Quantizer<Scalar>& quantizer, Coder& coder,
                              std::span<const Scalar> values, const QuantizeInput& input,
                              std::span<std::byte> header, std::span<std::byte> out,
                              std::vector<std::int32_t>& codes);

}  // namespace hearsay
