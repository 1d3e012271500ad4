#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// A text file of the project, line by line (line k is lines[k - 1]).
struct SourceFile {
  std::string path;                ///< from the root, with slashes
  std::vector<std::string> lines;  ///< as written
  std::vector<std::string> code;   ///< the same without comments and without what is inside quotes; C++ only
  bool ends_with_newline = true;

  bool is_header() const { return path.ends_with(".hpp"); }
  bool is_cpp() const { return is_header() || path.ends_with(".cpp") || path.ends_with(".inl"); }
  bool is_product() const;     ///< in topology/, algorithms/, runtime/ or tools/
  bool is_build_file() const;  ///< CMake files, presets, scripts: files that may set compiler flags
};

/// Returns what a line of code includes, with its brackets: `<zmq.hpp>`, `"topology/graph.hpp"`; without any
/// if it is a macro. Empty if the line includes nothing.
std::string included_by(std::string_view line);

/// True for what names are made of: letters, digits, _.
bool is_name_character(char c);

/// True if `word` stands in `line`, and not as part of a longer name.
bool mentions(std::string_view line, std::string_view word);

/// Returns a path without its last part: "runtime/peer" for "runtime/peer/peer.hpp"; empty without a slash.
std::string folder_of(std::string_view path);

/// Returns the first part of a path: "runtime" for "runtime/peer/peer.hpp" and for "runtime".
std::string layer_of(std::string_view path);

/// True if `text` begins with one of `beginnings`.
bool begins_with_any(std::string_view text, const std::vector<std::string>& beginnings);

/// Returns C++ text with blanks in place of comments and of the content of string and character literals.
/// Names of included files stay. Every line keeps its number.
std::string strip_comments_and_literals(std::string_view text);

SourceFile source_file(std::string path, std::string_view text);

/// The files of the project, as the rules of the house see them.
struct SourceTree {
  std::vector<std::string> top_level;  ///< names in the root, ascending
  std::vector<SourceFile> files;       ///< ascending by path
};

/// Reads the files below `root`, without those that git ignores.
SourceTree read_source_tree(const std::filesystem::path& root);

}  // namespace hearsay
