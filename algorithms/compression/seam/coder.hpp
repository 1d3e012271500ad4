#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/quantizer.hpp"

namespace hearsay {

/// The lossless last stage: whole numbers to bytes and back. It may keep scratch space, so one object serves
/// one thread.
class Coder {
 public:
  virtual ~Coder() = default;

  virtual std::string spelling() const = 0;
  /// Why codes of the range can never be coded ("trit5 codes -1, 0 and 1 only"), for refusal at parse time;
  /// empty if they can.
  virtual std::string objection(const CodeRange& range) const = 0;
  virtual bool data_dependent_size() const = 0;
  /// The most bytes that n codes of the range take; exact if the size does not depend on the data.
  virtual std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const = 0;

  /// Makes room for n codes of the range, so that no message of as many or fewer allocates.
  virtual void reserve(std::size_t n, const CodeRange& range) { (void)n, (void)range; }
  /// Writes the codes (each within `range`) to the front of `out`, which has most_bytes. Returns how many
  /// bytes they took.
  std::size_t encode(std::span<const std::int32_t> codes, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) {
    begin(codes.size(), range, buckets, out);
    append(codes);
    return finish();
  }

  /// The same in parts, in order, n codes in all: each part has a multiple of part_grain codes, but the last
  /// may have fewer. A message that was not finished may be begun anew. `buckets` and `out` must stay where
  /// they are until the end.
  virtual void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) = 0;
  virtual void append(std::span<const std::int32_t> codes) = 0;
  virtual std::size_t finish() = 0;
  /// The grain of parts; 0 if all codes are one part.
  virtual std::size_t part_grain(const Buckets& buckets) const = 0;

  /// True if `in` is, to its last bit, what `encode` writes for codes.size() codes of the range; otherwise
  /// `codes` is meaningless. Accepts arbitrary bytes.
  virtual bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
                      std::span<std::int32_t> codes) = 0;
};

/// Codes ascending indices below a dimension. Like a Coder it accepts arbitrary bytes; it finds the length of
/// what it reads itself.
class IndexCoder {
 public:
  virtual ~IndexCoder() = default;
  virtual std::string spelling() const = 0;
  virtual bool data_dependent_size() const = 0;
  virtual std::size_t most_bytes(std::size_t count, std::size_t dimension) const = 0;
  /// The most bytes of `count` indices or fewer: fewer indices lie further apart and may take more bytes
  /// each.
  virtual std::size_t most_bytes_up_to(std::size_t count, std::size_t dimension) const {
    return most_bytes(count, dimension);
  }
  virtual std::size_t encode(std::span<const std::uint32_t> indices, std::size_t dimension,
                             std::span<std::byte> out) = 0;
  /// Reads indices.size() strictly ascending indices below `dimension` from the front of `in`. Returns how
  /// many bytes they took; nothing if there are no such indices.
  virtual std::optional<std::size_t> decode(std::span<const std::byte> in, std::size_t dimension,
                                            std::span<std::uint32_t> indices) = 0;
};

}  // namespace hearsay
