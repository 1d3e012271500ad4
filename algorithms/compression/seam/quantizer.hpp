#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// A range of codes, the whole numbers from `least` to `most`: what a quantizer emits and a coder takes.
struct CodeRange {
  std::int32_t least;
  std::int32_t most;
  bool contains(std::int32_t code) const { return least <= code && code <= most; }
  bool operator==(const CodeRange&) const = default;
  /// The number of codes in the range, 1 to 2^32.
  std::uint64_t size() const {
    return static_cast<std::uint64_t>(std::int64_t{most} - std::int64_t{least}) + 1;
  }
};

/// What a quantizer may use besides the values themselves.
struct QuantizeInput {
  ElementKey key;  ///< the key of this message, for element_bits(key, place of the value)
  std::optional<double>
      shared_scale;  ///< a magnitude that the selector suggests (AdaComp); nothing: the quantizer's own
  std::uint32_t first = 0;  ///< the place of values[0] in the message; above 0 for a later part of the values
};

/// The stage between values and whole numbers: value k becomes code k, and a header holds what the values of
/// a bucket share, such as a scale. Stateless.
///
/// Both directions accept any input. If values cannot be quantized (Inf, NaN, out of range), `quantize`
/// returns a status other than ok and writes a header or codes for which `reconstruct` returns `not_finite`.
/// `reconstruct` takes any header bytes and any codes within `range()`. It returns `malformed` if `quantize`
/// never writes these, and `not_finite` if a value would leave the range of Scalar.
template <class Scalar>
class Quantizer {
 public:
  virtual ~Quantizer() = default;

  /// The full spelling, aliases and defaults expanded. Parses back to this stage.
  virtual std::string spelling() const = 0;
  /// The traits on n values. `bytes` and `data_dependent_size` depend on the coder and stay 0 and false.
  virtual Traits traits(std::size_t n) const = 0;
  virtual CodeRange range() const = 0;
  /// The coder that a pipeline takes if its spelling names none.
  virtual std::string default_coder() const { return "raw"; }
  /// How the values are cut into groups that share a scale. A coder with places (raw) may begin each group at
  /// a byte.
  virtual const Buckets& buckets() const = 0;
  /// The size of the header of n values, in bytes.
  virtual std::size_t header_bytes(std::size_t n) const = 0;

  /// The number of values of which a part has a multiple; 0 if all values must be quantized in one call.
  /// Values that are quantized in parts (the last may have fewer) get the header and the codes of one call,
  /// as long as every part is `ok`. Each part has its own piece of the header.
  virtual std::size_t part_grain() const { return 0; }

  virtual CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                               std::span<std::byte> header, std::span<std::int32_t> codes) const = 0;
  virtual CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                                  std::span<Scalar> values) const = 0;

  /// Returns, for each value, the two numbers that it may become, exactly; empty if the values cannot be
  /// quantized. A deterministic quantizer returns probability_up = 0 and the result in `low`.
  virtual std::vector<Bracket> brackets(std::span<const Scalar> values) const = 0;
};

}  // namespace hearsay
