#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/compression/coders/bit_reader.hpp"

namespace hearsay {

/// How the indices of a chunk travel: `packed` in ceil(log2 c) bits each, `rice` as the number of coordinates
/// passed over since the one before, in Rice's code.
enum class ChunkIndices { packed, rice };

/// The indices of those that are kept of a chunk, ascending, in a stream of bits; see chunk_topk.hpp.
class ChunkIndexCode {
 public:
  /// `kept` of each `chunk` coordinates, at most 2^24.
  ChunkIndexCode(ChunkIndices kind, std::size_t kept, std::size_t chunk);

  /// At most as many bits as `kept` indices of a chunk of `size` take; exact if they are packed.
  std::size_t most_bits(std::size_t size, std::size_t kept) const;
  /// Writes the indices of a chunk that begins at `begin`.
  void write(BitWriter& writer, std::size_t begin, std::size_t size,
             std::span<const std::uint32_t> indices) const;
  /// Reads the indices of a chunk that begins at `begin`. False if they leave the chunk or do not ascend.
  bool read(BitReader& reader, std::size_t begin, std::size_t size, std::span<std::uint32_t> indices) const;

 private:
  void write_gaps(BitWriter& writer, std::size_t begin, std::span<const std::uint32_t> indices) const;
  bool read_gaps(BitReader& reader, std::uint32_t first, std::size_t size,
                 std::span<std::uint32_t> indices) const;
  bool read_packed(BitReader& reader, std::uint32_t first, std::size_t size,
                   std::span<std::uint32_t> indices) const;

  ChunkIndices kind_;
  unsigned width_;  ///< of a packed index, in bits
  unsigned rice_bits_;
};

/// The most bits that a BitWriter takes and a BitReader gives at once.
constexpr unsigned most_together = 56;

/// Writes the differences (number - zero), of `width` bits each, at most 24, several together.
template <class Number>
void write_together(BitWriter& writer, std::span<const Number> numbers, std::size_t zero, unsigned width) {
  const std::size_t in_word = most_together / width;
  while (!numbers.empty()) {
    const auto part = numbers.first(std::min(in_word, numbers.size()));
    std::uint64_t word = 0;
    for (const Number number : part) word = word << width | (number - zero);
    writer.put(word, static_cast<unsigned>(part.size()) * width);
    numbers = numbers.subspan(part.size());
  }
}

}  // namespace hearsay
