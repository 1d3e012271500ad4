#pragma once

#include <span>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// For compressors behind transforms that have one inverse for all messages, with as many coefficients as
/// coordinates: T^-1(y) + T^-1(z) is T^-1(y + z), to rounding. With it many messages are added up as
/// coefficients, and transformed back once:
///
///   for every packet: accumulate_coefficients(packet, sum);   restore(sum)
template <class Scalar>
class SummedCoefficients {
 public:
  /// sum += the coefficients of the message. Accepts arbitrary bytes. Any status but `ok` leaves `sum` as it
  /// was.
  virtual CodecStatus accumulate_coefficients(std::span<const std::byte> packet, std::span<Scalar> sum) = 0;
  /// Turns coefficients into the vector that has them. `not_finite` if it holds Inf or NaN.
  virtual CodecStatus restore(std::span<Scalar> sum) = 0;

 protected:
  ~SummedCoefficients() = default;
};

}  // namespace hearsay
