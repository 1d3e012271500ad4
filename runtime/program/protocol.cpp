#include "runtime/program/protocol.hpp"

#include <bit>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/program/hello.hpp"
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
  store_little_endian(std::bit_cast<std::uint64_t>(question.step_size), out.subspan(40));
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

std::optional<ProgramReady> decode_ready(std::span<const std::byte> bytes) {
  if (bytes.size() < answer_bytes || bytes.size() > hello_limit) return std::nullopt;
  auto answer = decode_answer(bytes.first(answer_bytes));
  if (!answer || answer->number != 0) return std::nullopt;
  if (answer->outcome != ProgramAnswer::Outcome::answered) answer = decode_answer(bytes);
  if (!answer) return std::nullopt;
  ProgramReady ready{std::move(*answer)};
  const std::span<const std::byte> text = bytes.subspan(answer_bytes);
  if (ready.answer.outcome != ProgramAnswer::Outcome::answered || text.empty()) return ready;
  auto fixed = read_fixed({reinterpret_cast<const char*>(text.data()), text.size()});
  if (!fixed) return std::nullopt;
  ready.fixed = std::move(*fixed);
  return ready;
}

}  // namespace hearsay
