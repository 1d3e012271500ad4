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

/// One value that a user may choose for a setting: how it is written and what it is, for lists and for
/// messages.
struct Choice {
  std::string name;       ///< "small-world"
  std::string arguments;  ///< "(k, p)"; empty if there are none
  std::string description;
  std::string details = {};  ///< what the description leaves out, for the manual, in Markdown
};

/// The text without the spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// Splits "name" or "name(argument, ...)" into its parts; spaces and tabs around the parts do not matter.
/// Misuse, naming `key`, if the text is neither.
Spelling parse_spelling(const std::string& key, std::string_view text);

/// Returns the choice called `name`. If there is none, a Misuse lists the choices, after the one that was
/// probably meant, if any.
const Choice& find_choice(const std::string& key, std::string_view name, std::span<const Choice> choices);

// Numbers from text. True if the whole text is one number, without blanks or a plus sign; a minus sign is
// accepted by parse_number only.
bool parse_whole(std::string_view text, std::uint64_t& value);
/// The nearest double, finite numbers only: 1e-400 is 0, and 1e400 is none.
bool parse_number(std::string_view text, double& value);
/// The shortest decimal text that reads back as the same number.
std::string number_text(double value);
/// The number with three significant digits, for messages: "0.25", "1.2e-05".
std::string three_digits(double value);

}  // namespace hearsay
