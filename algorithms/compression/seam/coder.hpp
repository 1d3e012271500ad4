#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/quantizer.hpp"

namespace hearsay {

/// The last stage, lossless: whole numbers to bytes and back. May keep scratch space, so one object serves
/// one thread.
class Coder {
 public:
  virtual ~Coder() = default;

  virtual std::string spelling() const = 0;
  /// Empty if the coder can code every code of the range; else the reason, with which the spelling is refused
  /// ("trit5 codes -1, 0 and 1 only").
  virtual std::string objection(const CodeRange& range) const = 0;
  virtual bool data_dependent_size() const = 0;
  /// The most bytes that n codes of the range take; exact if the size does not depend on the data.
  virtual std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const = 0;

  /// Makes room for n codes of the range, so that no message of n codes or fewer allocates.
  virtual void reserve(std::size_t n, const CodeRange& range) { (void)n, (void)range; }
  /// Writes the codes, each within `range`, to the front of `out`, which has at least
  /// most_bytes(codes.size(), ...) bytes. Returns how many bytes they took.
  std::size_t encode(std::span<const std::int32_t> codes, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) {
    begin(codes.size(), range, buckets, out);
    append(codes);
    return finish();
  }

  /// The same in parts, in order, n codes in all. Every part but the last has a multiple of part_grain codes.
  /// An unfinished message may be begun anew. `buckets` and `out` must outlive the message. `finish` returns
  /// how many bytes all codes took.
  virtual void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) = 0;
  virtual void append(std::span<const std::int32_t> codes) = 0;
  virtual std::size_t finish() = 0;
  /// The number of codes of which a part has a multiple; 0 if all codes must come in one part.
  virtual std::size_t part_grain(const Buckets& buckets) const = 0;

  /// True if messages can be read in parts, too: decode_part. Every part but the last has a multiple of
  /// part_grain codes.
  virtual bool decodes_in_parts() const { return false; }
  /// Reads codes.size() codes of the range from the front of `in`. Returns how many bytes they took; nothing
  /// if `encode` never writes such bytes. Accepts arbitrary bytes.
  virtual std::optional<std::size_t> decode_part(std::span<const std::byte> in, const CodeRange& range,
                                                 const Buckets& buckets, std::span<std::int32_t> codes) {
    (void)in, (void)range, (void)buckets, (void)codes;
    return std::nullopt;
  }
  /// Reads codes.size() codes of the range. True if `in` is, to its last bit, what `encode` writes for them;
  /// otherwise `codes` is meaningless. Accepts arbitrary bytes.
  virtual bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
                      std::span<std::int32_t> codes) = 0;
};

/// Codes strictly ascending indices below a dimension. Accepts arbitrary bytes, as a Coder does. Unlike a
/// Coder it finds out itself how many bytes it has to read.
class IndexCoder {
 public:
  virtual ~IndexCoder() = default;
  virtual std::string spelling() const = 0;
  virtual bool data_dependent_size() const = 0;
  virtual std::size_t most_bytes(std::size_t count, std::size_t dimension) const = 0;
  /// The most bytes of `count` indices or fewer. Fewer indices lie further apart and may take more bytes
  /// each.
  virtual std::size_t most_bytes_up_to(std::size_t count, std::size_t dimension) const {
    return most_bytes(count, dimension);
  }
  /// Writes the indices to the front of `out`, which has most_bytes. Returns how many bytes they took.
  virtual std::size_t encode(std::span<const std::uint32_t> indices, std::size_t dimension,
                             std::span<std::byte> out) = 0;
  /// Reads indices.size() strictly ascending indices below `dimension` from the front of `in`. Returns how
  /// many bytes they took; nothing if `in` does not begin with such indices.
  virtual std::optional<std::size_t> decode(std::span<const std::byte> in, std::size_t dimension,
                                            std::span<std::uint32_t> indices) = 0;
};

}  // namespace hearsay
