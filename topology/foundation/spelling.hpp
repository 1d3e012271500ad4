#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// A name with arguments, as users write it: "small-world(4, 0.1)" or plain "ring".
struct Spelling {
  std::string name;
  std::vector<std::string> arguments;
};

/// One thing a user may choose: how it is written and what it is, for lists and for messages.
struct Choice {
  std::string name;       ///< "small-world"
  std::string arguments;  ///< "(k, p)"; empty where there are none
  std::string description;
};

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

/// Takes "name" or "name(argument, ...)" apart; blanks around the parts do not matter. Anything else throws a
/// Misuse that names `key`.
Spelling parse_spelling(const std::string& key, std::string_view text);

/// The choice of that name; a Misuse that names them, and the one that was likely meant, if there is none.
const Choice& find_choice(const std::string& key, std::string_view name, std::span<const Choice> choices);

// Arguments as numbers: the whole text or nothing, no signs but those of a number, no blanks.
bool parse_whole(std::string_view text, std::uint64_t& value);
bool parse_number(std::string_view text, double& value);  ///< finite numbers only
/// The shortest decimal text that reads back as the same number.
std::string number_text(double value);

}  // namespace hearsay
