#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Where a value was written: "ring.toml:12", or "--set".
struct TomlPlace {
  std::shared_ptr<const std::string> source;
  std::uint32_t line = 0;  ///< from 1; 0 where lines mean nothing
  std::string text() const;
};

struct TomlEntry;
using TomlTable = std::vector<struct TomlEntry>;  ///< in the order of the file
using TomlArray = std::vector<struct TomlValue>;

/// A TOML value as a plain tree, so that only one source file has to compile the TOML library.
struct TomlValue {
  /// Dates and times, which no file of ours uses, arrive as the text they were written as.
  struct DateOrTime {
    std::string text;
  };
  std::variant<bool, std::int64_t, double, std::string, DateOrTime, TomlArray, TomlTable> data;
  TomlPlace place;
};

struct TomlEntry {
  std::string key;
  TomlValue value;  ///< its place is the key's line
};

/// The document's top-level table; a syntax error is a Misuse "SOURCE:line:column: what", as is what is
/// nested too deep.
TomlTable parse_toml(std::string_view text, const std::string& source);

/// The one value that `text` spells, or nothing where it is no TOML value.
std::optional<TomlValue> parse_toml_value(std::string_view text, const std::string& source);

// Spellings of values.

/// A quoted, escaped string.
std::string toml_text(std::string_view text);
/// The shortest decimal that parses back to the same double.
std::string toml_number(double number);
/// "[4, 6]", of peer ids; at least one.
std::string toml_list(const std::vector<PeerId>& ids);
/// Any value on one line, for messages.
std::string toml_text(const TomlValue& value);

}  // namespace hearsay
