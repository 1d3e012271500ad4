#include "algorithms/compression/coders/delta_indices.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "algorithms/compression/coders/bit_reader.hpp"

namespace hearsay {

namespace {

constexpr std::size_t delta_block = 128;
constexpr unsigned width_bits = 5;
constexpr unsigned widest_told = 31;  ///< in the message, this width stands for 32

/// The width of the gaps of a block in bits; `all` is the bitwise or of the gaps.
unsigned width_of(std::uint32_t all) {
  const auto width = static_cast<unsigned>(std::bit_width(all));
  return width >= widest_told ? 32 : width;
}

/// How often two neighboring words of `width` bits, above 0, are put together: as often as 32 bits hold them
/// and their number is even.
unsigned joins(std::size_t count, unsigned width) {
  unsigned times = 0;
  for (; count % 2 == 0 && 2 * width <= 32; count /= 2, width *= 2) ++times;
  return times;
}

/// Writes words of `width` bits, which are overwritten.
void write_words(BitWriter& writer, std::span<std::uint32_t> words, unsigned width) {
  if (width == 0) return;
  std::size_t count = words.size();
  for (unsigned times = joins(count, width); times > 0; --times, width *= 2) {
    count /= 2;
    for (std::size_t k = 0; k < count; ++k) words[k] = words[2 * k] << width | words[2 * k + 1];
  }
  for (std::size_t k = 0; k < count; ++k) writer.put(words[k], width);
}

void read_words(BitReader& reader, unsigned width, std::span<std::uint32_t> words) {
  std::ranges::fill(words, 0);
  if (width == 0) return;
  unsigned times = joins(words.size(), width);
  std::size_t count = words.size() >> times;
  for (std::size_t k = 0; k < count; ++k) words[k] = static_cast<std::uint32_t>(reader.read(width << times));
  for (; times > 0; --times, count *= 2) {
    const unsigned part = width << (times - 1);
    for (std::size_t k = count; k-- > 0;) {
      const std::uint32_t both = words[k];
      words[2 * k] = both >> part;
      words[2 * k + 1] = both & ((1u << part) - 1);
    }
  }
}

/// The most bytes that `count` gaps with a sum of at most `left` can take. It grows with both arguments.
std::size_t most_bytes_of_gaps(std::size_t count, std::size_t left) {
  // The sum bounds the widths: they cannot all be large. The worst case always widens the block for which one
  // more bit costs the least of `left`: the first bit of a block needs a gap of 1, bit w adds 2^(w-2) to its
  // largest gap.
  const std::size_t blocks = (count + delta_block - 1) / delta_block;
  const std::size_t per_width = std::min(count, delta_block);
  std::size_t bits = blocks * width_bits;
  for (unsigned width = 1; width <= 32; ++width) {
    const std::size_t cost = std::size_t{1} << (width < 2 ? 0 : width - 2);
    const std::size_t widened = std::min(blocks, left / cost);
    // The width after 30 is 32: two bits at once.
    bits += widened * per_width * (width == widest_told ? 2 : width > widest_told ? 0 : 1);
    left -= widened * cost;
    if (widened < blocks) break;
  }
  return (bits + 7) / 8;
}

}  // namespace

std::unique_ptr<IndexCoder> DeltaIndices::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<DeltaIndices>();
}

std::size_t DeltaIndices::most_bytes(std::size_t count, std::size_t dimension) const {
  return most_bytes_of_gaps(count, dimension - std::min(count, dimension));
}

std::size_t DeltaIndices::most_bytes_up_to(std::size_t count, std::size_t dimension) const {
  return most_bytes_of_gaps(count, dimension);
}

std::size_t DeltaIndices::encode(std::span<const std::uint32_t> indices, std::size_t,
                                 std::span<std::byte> out) {
  BitWriter writer(out);
  std::uint32_t next = 0;
  for (std::size_t begin = 0; begin < indices.size(); begin += delta_block) {
    const std::size_t size = std::min(delta_block, indices.size() - begin);
    const auto block = indices.subspan(begin, size);
    std::array<std::uint32_t, delta_block> gaps;
    std::uint32_t all = gaps[0] = block[0] - next;
    for (std::size_t k = 1; k < size; ++k) all |= gaps[k] = block[k] - block[k - 1] - 1;
    next = block[size - 1] + 1;
    const unsigned width = width_of(all);
    writer.put(std::min(width, widest_told), width_bits);
    write_words(writer, std::span(gaps).first(size), width);
  }
  return writer.finish();
}

std::optional<std::size_t> DeltaIndices::decode(std::span<const std::byte> in, std::size_t dimension,
                                                std::span<std::uint32_t> indices) {
  BitReader reader(in);
  std::uint64_t next = 0;
  for (std::size_t begin = 0; begin < indices.size(); begin += delta_block) {
    const std::size_t size = std::min(delta_block, indices.size() - begin);
    auto width = static_cast<unsigned>(reader.read(width_bits));
    if (width == widest_told) width = 32;
    const auto block = indices.subspan(begin, size);
    read_words(reader, width, block);
    std::uint32_t all = 0;
    for (std::uint32_t& gap : block) {
      all |= gap;
      next += std::uint64_t{gap} + 1;
      gap = static_cast<std::uint32_t>(next - 1);
    }
    if (next > dimension || width != width_of(all)) return std::nullopt;
  }
  return reader.finish();
}

}  // namespace hearsay
