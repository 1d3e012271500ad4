#include "algorithms/compression/coders/plain_indices.hpp"

#include "algorithms/arithmetic/wire_scalar.hpp"

namespace hearsay {

std::size_t PlainIndices::encode(std::span<const std::uint32_t> indices, std::size_t,
                                 std::span<std::byte> out) {
  for (std::size_t k = 0; k < indices.size(); ++k) write_scalar(out, k, indices[k]);
  return indices.size_bytes();
}

std::optional<std::size_t> PlainIndices::decode(std::span<const std::byte> in, std::size_t dimension,
                                                std::span<std::uint32_t> indices) {
  if (in.size() < indices.size_bytes()) return std::nullopt;
  std::size_t least = 0;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    indices[k] = read_scalar<std::uint32_t>(in, k);
    if (indices[k] < least || indices[k] >= dimension) return std::nullopt;
    least = std::size_t{indices[k]} + 1;
  }
  return indices.size_bytes();
}

}  // namespace hearsay
