#include "runtime/program/protocol.hpp"

#include <bit>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

std::array<std::byte, question_bytes> encode_question(const ProgramQuestion& question) {
  std::array<std::byte, question_bytes> bytes{};
  const std::span<std::byte> out(bytes);
  store_little_endian(static_cast<std::uint32_t>(question.kind), out);
  store_little_endian(question.number, out.subspan(8));
  store_little_endian(question.seed, out.subspan(16));
  store_little_endian(question.samples, out.subspan(24));
  store_little_endian(question.iteration, out.subspan(32));
  return bytes;
}

std::optional<ProgramAnswer> decode_answer(std::span<const std::byte> bytes) {
  if (bytes.size() < answer_bytes || bytes.size() > answer_bytes + answer_text_limit) return std::nullopt;
  const auto outcome = load_little_endian<std::uint32_t>(bytes.subspan(8));
  const auto flags = load_little_endian<std::uint32_t>(bytes.subspan(12));
  if (outcome > 3 || flags > 1) return std::nullopt;
  ProgramAnswer answer;
  answer.number = load_little_endian<std::uint64_t>(bytes);
  answer.outcome = static_cast<ProgramAnswer::Outcome>(outcome);
  answer.of_test_samples = flags == 1;
  answer.loss = std::bit_cast<double>(load_little_endian<std::uint64_t>(bytes.subspan(16)));
  answer.hits = load_little_endian<std::uint64_t>(bytes.subspan(24));
  answer.judged = load_little_endian<std::uint64_t>(bytes.subspan(32));
  answer.text = printable_text(bytes.subspan(answer_bytes));
  if (answer.hits > answer.judged) return std::nullopt;
  return answer;
}

}  // namespace hearsay
