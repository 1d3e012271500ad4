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

/// Where a value was written: "ring.toml:12", or "--set" for the command line.
struct TomlPlace {
  std::shared_ptr<const std::string> source;
  std::uint32_t line = 0;  ///< from 1; 0 if the source has no lines
  std::string text() const;
};

struct TomlEntry;
using TomlTable = std::vector<struct TomlEntry>;  ///< in the order of the file
using TomlArray = std::vector<struct TomlValue>;

/// A TOML value as a plain tree, so that only one source file has to compile the TOML library.
struct TomlValue {
  /// A date or time, as text. No key takes one; messages show it.
  struct DateOrTime {
    std::string text;
  };
  /// No value: the key is as if it were not given. No document has it; the option --unset does.
  struct Unset {};
  std::variant<bool, std::int64_t, double, std::string, DateOrTime, TomlArray, TomlTable, Unset> data;
  TomlPlace place;
  std::string written = {};  ///< a number as the text has it: "10.0", "1e3"; empty for others
};

struct TomlEntry {
  std::string key;
  TomlValue value;  ///< its place is the key's line
};

/// Returns the document's top-level table. Throws Misuse for a syntax error ("SOURCE:line:column: what"), and
/// for a text that is nested too deep ("SOURCE:line: ...").
TomlTable parse_toml(std::string_view text, const std::string& source);

/// Returns the value that `text` spells; empty unless it is exactly one TOML value.
std::optional<TomlValue> parse_toml_value(std::string_view text, const std::string& source);

// Values spelled as TOML.

/// Returns `text` quoted and escaped.
std::string toml_text(std::string_view text);
/// Returns the shortest decimal that parses back to the same double; "nan", "inf" or "-inf".
std::string toml_number(double number);
/// Returns peer ids as an array, "[4, 6]". There must be at least one.
std::string toml_list(const std::vector<PeerId>& ids);
/// Returns the texts as a TOML array: ["python3", "train.py"].
std::string toml_list(const std::vector<std::string>& texts);
/// Returns any value on one line.
std::string toml_text(const TomlValue& value);
/// The same for messages: numbers are as they were written.
std::string toml_as_written(const TomlValue& value);

}  // namespace hearsay
