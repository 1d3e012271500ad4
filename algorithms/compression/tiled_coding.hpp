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
  std::size_t bytes;   ///< that the codes take
};

/// Values to codes to bytes, a tile after the other where both stages take parts: a tile's codes are appended to the message
/// while they are in the first cache. The same bytes as one stage after the other over all values. `codes` is scratch space.
template <class Scalar>
CodedValues quantize_and_code(const Quantizer<Scalar>& quantizer, Coder& coder,
                              std::span<const Scalar> values, const QuantizeInput& input,
                              std::span<std::byte> header, std::span<std::byte> out,
                              std::vector<std::int32_t>& codes);

}  // namespace hearsay
