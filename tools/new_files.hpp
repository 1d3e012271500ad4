#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hearsay {

/// The texts of tools/examples/ that `hearsay new` starts from, by file name. Made by the build.
extern const std::map<std::string, std::string> example_texts;

/// A file that `hearsay new` writes.
struct NewFile {
  std::filesystem::path path;
  std::string text;
};

/// A kind of run file that `hearsay new` writes.
struct NewKind {
  std::string name;     ///< "sweep"
  std::string example;  ///< its run file in tools/examples/
  std::string command;  ///< what runs it: "hearsay sweep"
};
const std::vector<NewKind>& new_kinds();

/// Returns the files of a kind: the run file at `path` and, for several hosts, the topology file beside it.
/// In comments and settings they have these names instead of the examples'. Throws Misuse if a name cannot
/// stand in a comment.
std::vector<NewFile> new_files(const NewKind& kind, const std::filesystem::path& path);

}  // namespace hearsay
