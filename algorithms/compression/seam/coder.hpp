#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/quantizer.hpp"

namespace hearsay {

/// The lossless last stage: whole numbers to bytes and back. May keep scratch space, so one object serves one thread.
class Coder {
 public:
  virtual ~Coder() = default;

  virtual std::string spelling() const = 0;
  /// Refuses at parse time what can never be coded ("trit5 codes -1, 0 and 1 only"); empty where it can.
  virtual std::string objection(const CodeRange& range) const = 0;
  virtual bool data_dependent_size() const = 0;
  /// Bytes that n codes of the range take at most; exactly, where the size does not depend on the data.
  virtual std::size_t most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const = 0;

  /// Makes room for n codes of the range: no message of as many or fewer allocates, whatever is in it.
  virtual void reserve(std::size_t n, const CodeRange& range) { (void)n, (void)range; }
  /// Writes the codes (each within `range`) to the front of `out`, which has most_bytes; how many bytes it took.
  std::size_t encode(std::span<const std::int32_t> codes, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) {
    begin(codes.size(), range, buckets, out);
    append(codes);
    return finish();
  }

  /// The same in parts, in order, of part_grain codes each or a multiple, and what is left after them: n codes in all.
  /// What was begun and not finished may be begun anew. `buckets` and `out` stay where they are until the end.
  virtual void begin(std::size_t n, const CodeRange& range, const Buckets& buckets,
                     std::span<std::byte> out) = 0;
  virtual void append(std::span<const std::int32_t> codes) = 0;
  virtual std::size_t finish() = 0;
  /// 0: all codes are one part.
  virtual std::size_t part_grain(const Buckets& buckets) const = 0;

  /// Total on arbitrary bytes: true where `in` is, to its last bit, what `encode` writes for codes.size() codes of the
  /// range; what `codes` holds is meaningless otherwise.
  virtual bool decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
                      std::span<std::int32_t> codes) = 0;
};

/// How ascending indices below a dimension travel. As above, total; the length of what it reads it finds itself.
class IndexCoder {
 public:
  virtual ~IndexCoder() = default;
  virtual std::string spelling() const = 0;
  virtual bool data_dependent_size() const = 0;
  virtual std::size_t most_bytes(std::size_t count, std::size_t dimension) const = 0;
  /// Where `count` is only the most there may be: fewer indices lie further apart and may take more bytes each.
  virtual std::size_t most_bytes_up_to(std::size_t count, std::size_t dimension) const {
    return most_bytes(count, dimension);
  }
  virtual std::size_t encode(std::span<const std::uint32_t> indices, std::size_t dimension,
                             std::span<std::byte> out) = 0;
  /// Reads indices.size() strictly ascending indices below `dimension` from the front of `in`; how many bytes they took,
  /// nothing where there are none such.
  virtual std::optional<std::size_t> decode(std::span<const std::byte> in, std::size_t dimension,
                                            std::span<std::uint32_t> indices) = 0;
};

}  // namespace hearsay
