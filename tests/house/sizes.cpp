#include "tests/house/sizes.hpp"

#include <map>

namespace hearsay {

namespace {

constexpr std::size_t most_lines_of_pair = 500;

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

}  // namespace hearsay
