#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// One key of a file with its value. Every accessor checks type and range. It throws a Misuse that names the
/// place, the key, the value and what was expected:
///
///     ring.toml:12: algorithm.step_size = "fast": expected a number > 0
struct Setting {
  std::string key;  ///< dotted, from the root of the file: "algorithm.step_size"
  TomlValue value;

  std::string label() const;  ///< "ring.toml:12: algorithm.step_size"
  /// Throws the Misuse "LABEL = VALUE: expected EXPECTATION".
  [[noreturn]] void refuse(const std::string& expectation) const;

  const std::string& text() const;
  /// Returns the text, which is not empty.
  const std::string& name() const;
  bool flag() const;
  double number() const;        ///< finite
  double non_negative() const;  ///< finite
  double positive() const;      ///< finite
  std::uint64_t count(std::uint64_t minimum, std::uint64_t maximum = largest_count) const;
  std::size_t one_of(const std::vector<std::string_view>& names) const;  ///< the index of the text in `names`
  std::vector<std::string> texts() const;    ///< an array of texts, none of which is empty
  std::vector<PeerId> distinct_ids() const;  ///< an array of ids; returned ascending
  Bandwidth bandwidth() const;
  Duration duration() const;
  double share() const;  ///< 0.01 or "1%"

  /// Returns the text as a path, as `resolve_path` does.
  std::filesystem::path path(const std::filesystem::path& directory) const;
  /// Returns `text`, a part of this setting, as a path. $NAME and ${NAME} are environment variables, $$ is a
  /// dollar sign, and a relative path starts at `directory`.
  std::filesystem::path resolve_path(std::string_view text, const std::filesystem::path& directory) const;

  static constexpr std::uint64_t largest_count = std::numeric_limits<std::int64_t>::max();
};

/// True if the setting takes its key out.
inline bool is_unset(const Setting& setting) {
  return std::holds_alternative<TomlValue::Unset>(setting.value.data);
}

/// Returns the spelling that `Setting::resolve_path` reads as exactly `path`: every $ is doubled.
std::string spelled_path(std::string path);

}  // namespace hearsay
