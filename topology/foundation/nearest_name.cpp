#include "topology/foundation/nearest_name.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace hearsay {

namespace {

char lower(char letter) {
  return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Optimal string alignment distance, row by row: a row for each prefix of `from`, a column for each prefix
/// of `to`.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), above(to.size() + 1), row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const char a = lower(from[i - 1]);
      const char b = lower(to[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b)});
      const bool swapped = i > 1 && j > 1 && a == lower(to[j - 2]) && lower(from[i - 2]) == b;
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[to.size()];
}

struct Nearest {
  const std::string* name = nullptr;
  std::size_t edits = std::numeric_limits<std::size_t>::max();
};

Nearest nearest_of(std::string_view given, std::span<const std::string> known) {
  Nearest nearest;
  for (const std::string& name : known) {
    std::size_t edits = edit_distance(given, name);
    // `given` is only the beginning of the name: one edit, however long the rest is.
    if (!given.empty() && edits > 1 && edit_distance(given, name.substr(0, given.size())) == 0) edits = 1;
    if (edits < nearest.edits) nearest = {&name, edits};
  }
  return nearest;
}

}  // namespace

std::string nearest_name(std::string_view given, std::span<const std::string> known) {
  const Nearest nearest = nearest_of(given, known);
  return nearest.name ? *nearest.name : std::string();
}

std::string likely_name(std::string_view given, std::span<const std::string> known,
                        std::size_t letters_per_edit) {
  const Nearest nearest = nearest_of(given, known);
  const bool likely =
      nearest.name && letters_per_edit * nearest.edits <= std::max(given.size(), nearest.name->size());
  return likely ? *nearest.name : std::string();
}

std::string did_you_mean(std::string_view given, std::span<const std::string> known, std::string_view quote) {
  const auto quoted = [quote](const std::string& name) {
    return std::string(quote).append(name).append(quote);
  };
  if (const std::string likely = likely_name(given, known); !likely.empty())
    return ", did you mean " + quoted(likely) + "?";
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + quoted(name);
  return (known.size() == 1 ? "; expected " : "; expected one of ") + names;
}

}  // namespace hearsay
