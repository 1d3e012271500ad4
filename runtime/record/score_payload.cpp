#include "runtime/record/score_payload.hpp"

#include <bit>
#include <cstdint>

#include "runtime/foundation/little_endian.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t of_test_samples = std::uint64_t{1} << 63;
constexpr std::uint64_t without_data = std::uint64_t{1} << 62;

}  // namespace

std::vector<std::byte> encode_score(const LocalScore& score) {
  std::vector<std::byte> payload(score_bytes);
  const std::span<std::byte> bytes(payload);
  store_little_endian(std::bit_cast<std::uint64_t>(score.loss), bytes);
  store_little_endian(score.samples, bytes.subspan(8));
  store_little_endian(score.hits, bytes.subspan(16));
  store_little_endian(
      score.judged | (score.of_test_samples ? of_test_samples : 0) | (score.has_data ? 0 : without_data),
      bytes.subspan(24));
  return payload;
}

std::optional<LocalScore> decode_score(std::span<const std::byte> payload) {
  if (payload.size() != score_bytes) return std::nullopt;
  const auto judged = load_little_endian<std::uint64_t>(payload.subspan(24));
  const LocalScore score{.loss = std::bit_cast<double>(load_little_endian<std::uint64_t>(payload)),
                         .samples = load_little_endian<std::uint64_t>(payload.subspan(8)),
                         .hits = load_little_endian<std::uint64_t>(payload.subspan(16)),
                         .judged = judged & ~(of_test_samples | without_data),
                         .of_test_samples = (judged & of_test_samples) != 0,
                         .has_data = (judged & without_data) == 0};
  if (score.hits > score.judged) return std::nullopt;
  return score;
}

}  // namespace hearsay
