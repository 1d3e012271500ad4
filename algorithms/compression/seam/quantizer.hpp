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

/// The whole numbers from `least` to `most`: what a quantizer emits and a coder takes.
struct CodeRange {
  std::int32_t least;
  std::int32_t most;
  bool contains(std::int32_t code) const { return least <= code && code <= most; }
  bool operator==(const CodeRange&) const = default;
  /// How many numbers the range has.
  std::uint64_t size() const {
    return static_cast<std::uint64_t>(std::int64_t{most} - std::int64_t{least}) + 1;
  }
};

/// What a quantizer may use besides the values.
struct QuantizeInput {
  ElementKey key;  ///< the key of this message; the element index is the value's place
  std::optional<double>
      shared_scale;         ///< a magnitude that the selector suggests (AdaComp); else the quantizer's own
  std::uint32_t first = 0;  ///< the place of the first value, if these are a part of the message's values
};

/// The stage between values and whole numbers: value k becomes code k, and a header holds what the values of
/// a bucket share. Stateless.
///
/// Both directions accept any input. If values cannot be quantized (Inf, NaN, out of range), `quantize` says
/// so and writes a header or codes for which `reconstruct` returns `not_finite`. `reconstruct` takes any
/// header bytes and any codes within `range()`. It returns `malformed` if `quantize` never writes them, and
/// `not_finite` if a value would leave the range of Scalar.
template <class Scalar>
class Quantizer {
 public:
  virtual ~Quantizer() = default;

  /// The spelling that parses back to this stage, aliases and defaults expanded.
  virtual std::string spelling() const = 0;
  /// The traits on n values; `bytes` and `data_dependent_size` depend on the coder and stay 0 and false.
  virtual Traits traits(std::size_t n) const = 0;
  virtual CodeRange range() const = 0;
  /// The coder that a pipeline takes if none is spelled.
  virtual std::string default_coder() const { return "raw"; }
  /// How the values are cut into groups that share something; coders with places may follow the cuts.
  virtual const Buckets& buckets() const = 0;
  /// Bytes of the header of n values.
  virtual std::size_t header_bytes(std::size_t n) const = 0;

  /// The grain of parts; 0 if only the whole can be quantized. Parts of a multiple of so many values, and a
  /// last part of the rest, are quantized as the whole would be, as long as all are `ok`. Each part has its
  /// own piece of the header, which earlier parts do not change.
  virtual std::size_t part_grain() const { return 0; }

  virtual CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                               std::span<std::byte> header, std::span<std::int32_t> codes) const = 0;
  virtual CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                                  std::span<Scalar> values) const = 0;

  /// The numbers that each value may become, exactly; empty if the values cannot be quantized. A
  /// deterministic quantizer gives probability_up = 0 and low = what the value becomes.
  virtual std::vector<Bracket> brackets(std::span<const Scalar> values) const = 0;
};

}  // namespace hearsay
