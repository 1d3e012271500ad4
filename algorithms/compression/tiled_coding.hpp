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
  std::size_t bytes;   ///< the bytes written to `out`
};

/// Quantizes the values into `header` and writes their codes to `out`. If both stages take parts, this goes
/// tile by tile, so that the codes of a tile are still in the first-level cache when they are written. The
/// bytes are the same as with one stage after the other over all values. `codes` is scratch space.
template <class Scalar>
CodedValues quantize_and_code(const Quantizer<Scalar>& quantizer, Coder& coder,
                              std::span<const Scalar> values, const QuantizeInput& input,
                              std::span<std::byte> header, std::span<std::byte> out,
                              std::vector<std::int32_t>& codes);

/// The reverse: reads the codes of all values from `in` and reconstructs the values, tile by tile if the
/// coder reads parts. `malformed` if `in` is not, to its last bit, what a coder writes. Values and status are
/// those of one stage after the other over all values.
template <class Scalar>
CodecStatus decode_and_reconstruct(const Quantizer<Scalar>& quantizer, Coder& coder,
                                   std::span<const std::byte> header, std::span<const std::byte> in,
                                   std::span<Scalar> values, std::vector<std::int32_t>& codes);

}  // namespace hearsay
