#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/objectives/local_score.hpp"

namespace hearsay {

/// The bytes of a score in an `answer`.
inline constexpr std::size_t score_bytes = 32;

/// Returns the score as 32 bytes: loss (a double), samples, hits, and the judged samples with bit 63 set if
/// they are test samples, and bit 62 if the peer has no data (u64 each); all little-endian.
std::vector<std::byte> encode_score(const LocalScore& score);

/// Returns the score; empty if the payload has another length, or more hits than judged samples.
std::optional<LocalScore> decode_score(std::span<const std::byte> payload);

}  // namespace hearsay
