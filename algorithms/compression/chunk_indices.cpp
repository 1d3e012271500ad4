#include "algorithms/compression/chunk_indices.hpp"

#include <bit>
#include <numeric>

namespace hearsay {

ChunkIndexCode::ChunkIndexCode(ChunkIndices kind, std::size_t kept, std::size_t chunk)
    : kind_(kind),
      width_(static_cast<unsigned>(std::bit_width(chunk - 1))),
      rice_bits_(static_cast<unsigned>(std::bit_width(chunk / kept)) - 1) {}

std::size_t ChunkIndexCode::most_bits(std::size_t size, std::size_t kept) const {
  if (kept == size) return 0;
  if (kind_ == ChunkIndices::packed) return kept * width_;
  return kept * (rice_bits_ + 1) + ((size - kept) >> rice_bits_);
}

void ChunkIndexCode::write(BitWriter& writer, std::size_t begin, std::size_t size,
                           std::span<const std::uint32_t> indices) const {
  if (indices.size() == size) return;
  if (kind_ == ChunkIndices::packed)
    write_together(writer, indices, begin, width_);
  else
    write_gaps(writer, begin, indices);
}

void ChunkIndexCode::write_gaps(BitWriter& writer, std::size_t begin,
                                std::span<const std::uint32_t> indices) const {
  std::size_t next = begin;
  for (const std::uint32_t index : indices) {
    const std::size_t passed = index - next;
    next = std::size_t{index} + 1;
    std::size_t ones = passed >> rice_bits_;
    for (; ones >= 32; ones -= 32) writer.put(0xFFFFFFFF, 32);
    writer.put((std::uint64_t{1} << (ones + 1)) - 2, static_cast<unsigned>(ones) + 1);
    writer.put(passed & ((std::size_t{1} << rice_bits_) - 1), rice_bits_);
  }
}

bool ChunkIndexCode::read(BitReader& reader, std::size_t begin, std::size_t size,
                          std::span<std::uint32_t> indices) const {
  const auto first = static_cast<std::uint32_t>(begin);
  if (indices.size() == size) {
    std::iota(indices.begin(), indices.end(), first);
    return true;
  }
  return kind_ == ChunkIndices::packed ? read_packed(reader, first, size, indices)
                                       : read_gaps(reader, first, size, indices);
}

bool ChunkIndexCode::read_gaps(BitReader& reader, std::uint32_t first, std::size_t size,
                               std::span<std::uint32_t> indices) const {
  std::uint64_t least = 0;
  for (std::uint32_t& index : indices) {
    std::uint64_t ones = 0;
    // Bits behind the end are zeros, so that every run of ones ends.
    for (reader.refill(); reader.window() >> 32 == 0xFFFFFFFF; reader.refill(), ones += 32) reader.skip(32);
    const auto rest = static_cast<unsigned>(std::countl_one(reader.window()));
    reader.skip(rest + 1);
    const std::uint64_t place = least + ((ones + rest) << rice_bits_) + reader.read(rice_bits_);
    if (place >= size) return false;
    least = place + 1;
    index = first + static_cast<std::uint32_t>(place);
  }
  return true;
}

bool ChunkIndexCode::read_packed(BitReader& in, std::uint32_t first, std::size_t size,
                                 std::span<std::uint32_t> indices) const {
  BitReader reader = in;  // a local copy stays in registers
  const std::size_t in_window = most_together / width_;
  std::uint64_t least = 0;
  bool ascending = true;
  for (std::size_t done = 0; done < indices.size();) {
    reader.refill();
    for (const std::size_t end = std::min(done + in_window, indices.size()); done < end; ++done) {
      const std::uint64_t place = reader.take(width_);
      ascending = ascending && place >= least;
      least = place + 1;
      indices[done] = first + static_cast<std::uint32_t>(place);
    }
  }
  in = reader;
  return ascending && least <= size;
}

}  // namespace hearsay
