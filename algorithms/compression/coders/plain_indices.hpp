#pragma once

#include "algorithms/compression/seam/coder.hpp"

namespace hearsay {

/// Every index as a u32, little-endian: the coder of indices if the spelling names none.
class PlainIndices final : public IndexCoder {
 public:
  std::string spelling() const override { return ""; }
  bool data_dependent_size() const override { return false; }
  std::size_t most_bytes(std::size_t count, std::size_t) const override {
    return count * sizeof(std::uint32_t);
  }
  std::size_t encode(std::span<const std::uint32_t> indices, std::size_t dimension,
                     std::span<std::byte> out) override;
  std::optional<std::size_t> decode(std::span<const std::byte> in, std::size_t dimension,
                                    std::span<std::uint32_t> indices) override;
};

}  // namespace hearsay
