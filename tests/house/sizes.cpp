#include "tests/house/sizes.hpp"

#include <algorithm>
#include <map>

#include "tests/house/outline.hpp"

namespace hearsay {

namespace {

constexpr std::size_t most_lines_of_pair = 500;
constexpr std::size_t most_lines_of_function = 60;

/// Returns "peer.hpp and peer.cpp" for the files of a pair.
std::string pair_text(const std::vector<const SourceFile*>& files) {
  std::string names;
  for (const SourceFile* file : files)
    names += (names.empty() ? "" : " and ") + file->path.substr(file->path.rfind('/') + 1);
  return names;
}

}  // namespace

Violations pairs_are_short(const SourceTree& tree) {
  std::map<std::string, std::vector<const SourceFile*>> pairs;  // by path without ending
  for (const SourceFile& file : tree.files)
    if (file.is_cpp()) pairs[file.path.substr(0, file.path.rfind('.'))].push_back(&file);
  Violations found;
  for (const auto& [stem, files] : pairs) {
    std::size_t lines = 0;
    for (const SourceFile* file : files) lines += file->lines.size();
    if (lines > most_lines_of_pair)
      found.push_back(at(*files.front(), 0,
                         pair_text(files) + ": " + std::to_string(lines) + " lines, " +
                             std::to_string(most_lines_of_pair) + " are allowed"));
  }
  return found;
}

Violations functions_are_short(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    const Outline outline = outline_of(file);
    for (const Statement& statement : outline.statements) {
      if (!statement.is_function_body()) continue;
      const auto [first, last] = outline.lines_of(statement);
      const auto begin = outline.begins_in_table.begin();
      const auto lines = std::count(begin + static_cast<std::ptrdiff_t>(first),
                                    begin + static_cast<std::ptrdiff_t>(last) + 1, false);
      if (lines > static_cast<std::ptrdiff_t>(most_lines_of_function))
        found.push_back(at(file, first,
                           outline.name_of(statement) + " has " + std::to_string(lines) + " lines, " +
                               std::to_string(most_lines_of_function) + " are allowed"));
    }
  }
  return found;
}

}  // namespace hearsay
