#include "runtime/data/name_words.hpp"

#include <cctype>

namespace hearsay {

namespace {

bool is_upper(char letter) { return std::isupper(static_cast<unsigned char>(letter)) != 0; }
bool is_lower(char letter) { return std::islower(static_cast<unsigned char>(letter)) != 0; }

/// True if a word begins at place `at` of the name, behind another letter: as the I of userId, and the N of
/// IDNumber, but not the s of IDs.
bool begins_word(std::string_view name, std::size_t at) {
  if (name[at] == '#' || name[at - 1] == '#') return true;
  if (!is_upper(name[at])) return false;
  if (!is_upper(name[at - 1])) return true;
  const bool plural = name.substr(at + 1) == "s";
  return at + 1 < name.size() && is_lower(name[at + 1]) && !plural;
}

}  // namespace

std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool separates = std::string_view("_.- \t:/").find(name[at]) != std::string_view::npos;
    if (!words.back().empty() && (separates || begins_word(name, at))) words.emplace_back();
    if (!separates)
      words.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(name[at]))));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace hearsay
