#include "runtime/record/own_evaluation.hpp"

#include <bit>

#include "runtime/foundation/little_endian.hpp"

namespace hearsay {

std::vector<std::byte> encode_own_evaluation(const OwnEvaluation& own) {
  std::vector<std::byte> bytes = encode_score(own.score);
  bytes.resize(own_evaluation_bytes);
  for (std::size_t row = 0; row < sketch_size; ++row)
    store_little_endian(std::bit_cast<std::uint64_t>(own.sketch[row]),
                        std::span(bytes).subspan(score_bytes + 8 * row));
  return bytes;
}

std::optional<OwnEvaluation> decode_own_evaluation(std::span<const std::byte> bytes) {
  if (bytes.size() != own_evaluation_bytes) return std::nullopt;
  const std::optional<LocalScore> score = decode_score(bytes.first(score_bytes));
  if (!score) return std::nullopt;
  OwnEvaluation own{*score, {}};
  for (std::size_t row = 0; row < sketch_size; ++row)
    own.sketch[row] =
        std::bit_cast<double>(load_little_endian<std::uint64_t>(bytes.subspan(score_bytes + 8 * row)));
  return own;
}

}  // namespace hearsay
