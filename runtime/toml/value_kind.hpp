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

/// A kind of value: how a setting is read as a `Value`, and how the value is written as TOML.
template <class Value>
struct ValueKind {
  std::string type;  ///< in the user's words: "whole number >= 1"
  /// Throws Misuse if the setting is no such value. Relative paths start at `directory`.
  std::function<Value(const Setting& setting, const std::filesystem::path& directory)> read;
  std::function<std::string(const Value& value)> write;  ///< returns TOML; empty if the key is left out

  /// Returns the same kind with another `type`.
  ValueKind named(std::string name) && {
    type = std::move(name);
    return std::move(*this);
  }
};

/// The kinds of values that rows of keys are made with.
namespace kinds {

/// A whole number of at least `least`.
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
ValueKind<std::string> text();                ///< in quotes; may be empty
ValueKind<std::string> name();                ///< in quotes; not empty
ValueKind<std::string> spelling();            ///< a name that may have arguments: "torus(2x4)"
ValueKind<std::vector<std::string>> texts();  ///< left out if there are none
ValueKind<std::filesystem::path> path();      ///< left out if it is empty
ValueKind<std::vector<PeerId>> peer_ids();    ///< ascending; left out if there are none

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

/// A value that may be unset; an unset value is left out.
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
