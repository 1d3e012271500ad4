#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hearsay {

// The questions of a peer and the answers of its program, as README.md of this folder lays them out. Decoding
// is total on arbitrary bytes.

inline constexpr int program_protocol = 1;
inline constexpr std::size_t question_bytes = 48;
inline constexpr std::size_t answer_bytes = 40;  ///< without its text
inline constexpr std::size_t answer_text_limit = 2048;
inline constexpr std::size_t hello_limit = 131'072;

struct ProgramQuestion {
  enum class Kind : std::uint32_t { gradient = 1, score = 2, end = 3 };
  Kind kind = Kind::gradient;
  std::uint64_t number = 0;
  std::uint64_t seed = 0;       ///< of a gradient
  std::uint64_t samples = 0;    ///< of a gradient: how many sample numbers are in the memory
  std::uint64_t iteration = 0;  ///< of a gradient, counted from 1
  double step_size = 0.0;       ///< of a gradient: the step size of its iteration
};

std::array<std::byte, question_bytes> encode_question(const ProgramQuestion& question);

struct ProgramAnswer {
  enum class Outcome : std::uint32_t { answered = 0, failed = 1, leaves = 2, stops = 3 };
  std::uint64_t number = 0;
  Outcome outcome = Outcome::answered;
  bool of_test_samples = false;
  double loss = 0.0;
  std::uint64_t hits = 0;
  std::uint64_t judged = 0;
  std::string text = {};  ///< why it failed or leaves; control characters are escaped
};

/// What an objective depends on beside x and its data: a name, and what it is.
struct FixedPart {
  std::string name;
  std::string what;
  bool operator==(const FixedPart&) const = default;
};

/// A program has written x_0: answer 0.
struct ProgramReady {
  ProgramAnswer answer;
  std::vector<FixedPart> fixed = {};  ///< empty if it did not answer, or did not say
};
/// Returns the word that x_0 is there, or that it never will be; empty if the bytes are neither.
std::optional<ProgramReady> decode_ready(std::span<const std::byte> bytes);

/// Returns the answer; empty if the bytes are none, or there are more hits than judged samples.
std::optional<ProgramAnswer> decode_answer(std::span<const std::byte> bytes);

}  // namespace hearsay
