#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// A value as users write it: `name`, `name(3, dense)` or `name(samples=8192, classes=100)`, taken apart.
struct Spelling {
  struct Argument {
    std::string name;  ///< empty where only a value was given
    std::string value;
  };
  std::string name;
  std::vector<Argument> arguments;
};

/// Throws a Misuse that names `key` when the text is not of that form.
Spelling parse_spelling(std::string_view key, std::string_view text);

/// The whole number in `value`, within [least, most]; else a Misuse of `key` = `text`.
std::int64_t whole_number(std::string_view key, std::string_view text, std::string_view value,
                          std::int64_t least, std::int64_t most);

}  // namespace hearsay
