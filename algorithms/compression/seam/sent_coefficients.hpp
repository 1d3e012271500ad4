#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// For compressors that send some coefficients of a vector and decode the others to 0. With it the messages
/// of many peers become a mean over those that sent a coefficient, instead of a mean over all:
///
///   for every packet: accumulate_sent(packet, sum, senders);  sum_k <- sum_k / senders_k;  restore(sum, out)
template <class Scalar>
class SentCoefficients {
 public:
  /// The number of coefficients of a vector with `dimension` entries.
  virtual std::size_t coefficient_count(std::size_t dimension) const = 0;
  /// For every coefficient k of the message: sum_k += its value, senders_k += 1. Both spans have
  /// coefficient_count(dimension) entries. Accepts arbitrary bytes. Any status but `ok` leaves them as they
  /// were.
  virtual CodecStatus accumulate_sent(std::span<const std::byte> packet, std::size_t dimension,
                                      std::span<Scalar> sum, std::span<std::uint32_t> senders) = 0;
  /// out = the vector with these coefficients, which may be overwritten.
  virtual void restore(std::span<Scalar> coefficients, std::span<Scalar> out) = 0;

 protected:
  ~SentCoefficients() = default;
};

}  // namespace hearsay
