#pragma once

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Ascending indices as gaps, in as few bits as each block of gaps needs. After the adaptive widths of
/// FastSGD's keys (Yang et al. 2021, "FastSGD: a fast compressed SGD framework for distributed machine
/// learning", which sorts keys and codes differences).
///
///   gap_k = i_k - i_(k-1) - 1,  with i_(-1) = -1
///
/// Message    in blocks of 128 gaps, of which the last may be shorter: the width w in 5 bits, then the gaps
///            in w bits each; highest bit of a byte first, zeros up to the end of the last byte. w is the
///            width of the largest gap of the block, 0 if all gaps are 0. The value 31 in the five bits
///            stands for w = 32; gaps of 31 bits travel in 32.
/// Departs    (own design) blocks, their size and the layout are not those of the paper.
class DeltaIndices final : public IndexCoder {
 public:
  static std::unique_ptr<IndexCoder> parse(const StageSpelling& stage);

  std::string spelling() const override { return "delta"; }
  bool data_dependent_size() const override { return true; }
  std::size_t most_bytes(std::size_t count, std::size_t dimension) const override;
  std::size_t most_bytes_up_to(std::size_t count, std::size_t dimension) const override;
  std::size_t encode(std::span<const std::uint32_t> indices, std::size_t dimension,
                     std::span<std::byte> out) override;
  std::optional<std::size_t> decode(std::span<const std::byte> in, std::size_t dimension,
                                    std::span<std::uint32_t> indices) override;
};

}  // namespace hearsay
