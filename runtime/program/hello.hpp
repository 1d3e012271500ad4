#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/arithmetic/segments.hpp"
#include "runtime/program/protocol.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a program says of its objective.
struct ProgramHello {
  Index dimension = 0;
  Index samples = 0;
  ScalarKind scalar = ScalarKind::float32;
  SegmentTable layers;  ///< one segment if the program names none
  bool operator==(const ProgramHello&) const = default;
};

/// Returns the hello in a JSON text, or else a clause that says what is wrong with it: "its hello has no
/// dimension". `largest_dimension` bounds the dimension.
std::variant<ProgramHello, std::string> read_hello(std::string_view json, Index largest_dimension);

/// Returns the parts in a JSON text, {"fixed": [["0.weight", "a frozen parameter of ..."], ...]}; empty if it
/// is none.
std::optional<std::vector<FixedPart>> read_fixed(std::string_view json);

/// What a program is told of its run.
struct ProgramFacts {
  PeerId peer = 0;
  std::size_t peers = 1;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> iterations = {};  ///< empty: run.epochs says how long the run is
  std::optional<std::uint64_t> batch = {};       ///< empty: all samples
  /// What the run does with a gradient, as keys of the run file with their values as a user would write them:
  /// {"algorithm.optimizer", "sgd"}.
  std::vector<std::pair<std::string, std::string>> settings = {};
};

/// Offsets and size of the shared memory, in bytes.
struct MemoryLayout {
  std::size_t x = 0;
  std::size_t gradient = 0;
  std::size_t samples = 0;
  std::size_t size = 0;
};

/// Returns the layout for d = `dimension` scalars of `scalar_bytes`, and `samples` sample numbers.
MemoryLayout memory_layout(std::size_t dimension, std::size_t scalar_bytes, std::size_t samples);

std::string facts_text(const ProgramFacts& facts, const MemoryLayout& layout);
/// What a program is told instead that cannot take part; `why` is a sentence.
std::string refusal_text(const std::string& why);
/// What a program is told when its run has ended. `output` is the record's folder; empty: there is none here.
std::string end_text(int code, const std::string& reason, const std::string& output);

}  // namespace hearsay
