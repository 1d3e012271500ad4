#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// How a setting is read as a `Value`, and how the value is spelled again.
template <class Value>
struct ValueKind {
  std::string type;  ///< as a user reads it: "whole number >= 1"
  /// Relative paths start at `directory`. Misuse if the setting is no such value.
  std::function<Value(const Setting& setting, const std::filesystem::path& directory)> read;
  std::function<std::string(const Value& value)> write;  ///< as TOML; empty: the key is left out

  /// The same kind with a word of its own for the user.
  ValueKind named(std::string name) && {
    type = std::move(name);
    return std::move(*this);
  }
};

/// Kinds by the names that the rows of a format call them.
namespace kinds {

/// A whole number, `least` at least.
template <class Integer = std::uint64_t>
ValueKind<Integer> count(std::uint64_t least, std::string noun = "whole number") {
  constexpr std::uint64_t most =
      std::min<std::uint64_t>(std::numeric_limits<Integer>::max(), Setting::largest_count);
  return {std::move(noun) + " >= " + std::to_string(least),
          [least](const Setting& setting, const std::filesystem::path&) {
            return static_cast<Integer>(setting.count(least, most));
          },
          [](const Integer& value) { return std::to_string(value); }};
}

ValueKind<double> number();        ///< finite
ValueKind<double> positive();      ///< finite
ValueKind<double> non_negative();  ///< finite
ValueKind<double> share();         ///< 0.01 or "1%"
ValueKind<bool> flag();
ValueKind<Bandwidth> bandwidth();
ValueKind<Duration> duration();
ValueKind<std::string> text();              ///< in quotes; may be empty
ValueKind<std::string> name();              ///< in quotes; not empty
ValueKind<std::string> spelling();          ///< the same, with arguments
ValueKind<std::filesystem::path> path();    ///< left out while it is empty
ValueKind<std::vector<PeerId>> peer_ids();  ///< ascending; left out while there are none

/// One of `names`, which spell the enumerators 0, 1, ... .
template <class Enum>
ValueKind<Enum> choice(std::vector<std::string_view> names) {
  std::string type;
  for (const std::string_view name : names) type += (type.empty() ? "" : " or ") + toml_text(name);
  return {std::move(type),
          [names](const Setting& setting, const std::filesystem::path&) {
            return static_cast<Enum>(setting.one_of(names));
          },
          [names](const Enum& value) { return toml_text(names.at(static_cast<std::size_t>(value))); }};
}

/// A value that may be unset, and is left out then.
template <class Value>
ValueKind<std::optional<Value>> optional(ValueKind<Value> kind) {
  return {std::move(kind.type),
          [read = std::move(kind.read)](const Setting& setting, const std::filesystem::path& directory) {
            return std::optional<Value>(read(setting, directory));
          },
          [write = std::move(kind.write)](const std::optional<Value>& value) {
            return value ? write(*value) : std::string();
          }};
}

}  // namespace kinds

}  // namespace hearsay
