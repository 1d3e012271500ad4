#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// One key of a file with its value. Every accessor checks type and range and throws the Misuse that names
/// the place, the key, the value and what was expected:
///
///     ring.toml:12: algorithm.step_size = "fast": expected a number > 0
struct Setting {
  std::string key;  ///< dotted, from the root of the file: "algorithm.step_size"
  TomlValue value;

  std::string label() const;  ///< "ring.toml:12: algorithm.step_size"
  [[noreturn]] void refuse(const std::string& expectation) const;

  const std::string& text() const;
  /// Text that is not empty.
  const std::string& name() const;
  bool flag() const;
  double number() const;        ///< finite
  double non_negative() const;  ///< finite
  double positive() const;      ///< finite
  std::uint64_t count(std::uint64_t minimum, std::uint64_t maximum = largest_count) const;
  std::size_t one_of(const std::vector<std::string_view>& names) const;  ///< the index of the text in `names`
  std::vector<PeerId> distinct_ids() const;                              ///< of an array, ascending
  Bandwidth bandwidth() const;
  Duration duration() const;
  double share() const;  ///< 0.01 or "1%"

  /// The text as a path: see `resolve_path`.
  std::filesystem::path path(const std::filesystem::path& directory) const;
  /// `text`, a part of this setting, as an absolute path: $NAME and ${NAME} are environment variables, $$ is
  /// a dollar, and a relative path starts at `directory`.
  std::filesystem::path resolve_path(std::string_view text, const std::filesystem::path& directory) const;

  static constexpr std::uint64_t largest_count = std::numeric_limits<std::int64_t>::max();
};

/// The spelling that `Setting::resolve_path` reads as exactly `path`.
std::string spelled_path(std::string path);

}  // namespace hearsay
