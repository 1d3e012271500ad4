#include "tests/house/house_rules.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string_view>

#include "tests/house/bans.hpp"
#include "tests/house/class_state.hpp"
#include "tests/house/dead_definitions.hpp"
#include "tests/house/pages.hpp"
#include "tests/house/rooms.hpp"
#include "tests/house/shared_units.hpp"
#include "tests/house/sizes.hpp"
#include "tests/house/standard_includes.hpp"

namespace hearsay {

std::string at(const SourceFile& file, std::size_t index, const std::string& what) {
  return file.path + ":" + std::to_string(index + 1) + ": " + what;
}

namespace {

Violations only_known_rooms(const SourceTree& tree) {
  static const std::set<std::string> known = {
      ".ci",          ".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt", "CMakePresets.json",
      "CHANGELOG.md", "LICENSE",       "README.md",   "algorithms", "bench",          "runtime",
      "tests",        "tools",         "topology"};
  Violations found;
  for (const std::string& name : tree.top_level)
    if (!known.contains(name)) found.push_back(name + ":1: has no place in the root");
  static const std::set<std::string> vague = {"src", "include", "utils", "util", "common", "detail", "misc"};
  for (const SourceFile& file : tree.files) {
    std::string_view rest = file.path;
    for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
      if (const std::string folder(rest.substr(0, slash)); vague.contains(folder))
        found.push_back(file.path + ":1: a folder called " + folder + " says nothing");
      rest.remove_prefix(slash + 1);
    }
  }
  return found;
}

/// The library of a layer, hearsay_LAYER, links none of a layer above it.
Violations libraries_follow_the_layers(const SourceTree& tree) {
  static const std::vector<std::string> layers = {"topology", "algorithms", "runtime", "tools"};
  Violations found;
  for (const SourceFile& file : tree.files) {
    const auto layer = std::ranges::find(layers, layer_of(file.path));
    if (layer == layers.end() || !file.path.ends_with("CMakeLists.txt")) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      for (auto above = layer + 1; above != layers.end(); ++above)
        if (mentions(file.lines[k], "hearsay_" + *above))
          found.push_back(
              at(file, k, "hearsay_" + *above + ": " + *layer + " may not link what is above it"));
  }
  return found;
}

Violations headers_are_light(const SourceTree& tree) {
  static const std::vector<std::string> heavy = {"<boost/", "<toml++", "<CLI/", "<Spectra/"};
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_header()) continue;
    for (std::size_t k = 0; k < file.code.size(); ++k) {
      const std::string included = included_by(file.code[k]);
      const bool eigen = included.starts_with("<Eigen/") && included != "<Eigen/Core>";
      if (eigen || begins_with_any(included, heavy))
        found.push_back(at(file, k, included + ": too heavy for a header"));
    }
  }
  return found;
}

Violations headers_have_pragma_once(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files)
    if (file.is_header() && std::find(file.code.begin(), file.code.end(), "#pragma once") == file.code.end())
      found.push_back(file.path + ":1: no #pragma once");
  return found;
}

/// Returns the number of characters of UTF-8 text.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Returns the class whose member function the line begins to define outside of the class: "Peer" or
/// "PeerSockets::Server". Empty if it defines none.
std::string class_of_definition(const std::string& line) {
  static const std::regex qualified(R"(((?:[A-Z]\w*(?:<[^<>]*>)?::)+)(?:~?\w+|operator\S*)$)");
  static const std::regex head("^template <[^<>]*> (?=[a-zA-Z])");
  const std::string definition = std::regex_replace(line, head, "");
  const bool at_margin =
      !definition.empty() && (std::isalpha(static_cast<unsigned char>(definition.front())) != 0);
  if (!at_margin || definition.starts_with("template ")) return {};
  const std::string before = definition.substr(0, definition.find('('));
  std::smatch found;
  if (before.size() == definition.size() || !std::regex_search(before, found, qualified)) return {};
  static const std::regex arguments("<[^<>]*>");
  std::string name = std::regex_replace(found[1].str(), arguments, "");
  name.resize(name.size() - 2);
  return name;
}

/// The functions of a class stand in one source. A long class that is cut into several sources is still one
/// class, whose fields every source can change.
Violations classes_stand_in_one_file(const SourceTree& tree) {
  std::map<std::string, std::string> source_of;
  std::set<std::pair<std::string, std::string>> told;
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.path.ends_with(".cpp") || !file.is_product()) continue;
    for (std::size_t k = 0; k < file.code.size(); ++k) {
      const std::string name = class_of_definition(file.code[k]);
      if (name.empty()) continue;
      const std::string& first = source_of.try_emplace(name, file.path).first->second;
      if (first != file.path && told.emplace(name, file.path).second)
        found.push_back(at(file, k, "functions of " + name + " stand in " + first + ", too"));
    }
  }
  return found;
}

Violations comments_are_narrow(const SourceTree& tree) {
  constexpr std::size_t widest = 110;
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp()) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      if (file.lines[k].find("//") != std::string::npos && columns(file.lines[k]) > widest &&
          file.code[k].find_last_not_of(' ') + 1 <= file.lines[k].find("//"))
        found.push_back(at(file, k, "a comment of " + std::to_string(columns(file.lines[k])) + " columns"));
  }
  return found;
}

Violations nothing_is_left_to_do(const SourceTree& tree) {
  // Spelled in parts, so that this file keeps the rule itself.
  const std::vector<std::string> marks = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() && !file.is_build_file()) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      for (const std::string& mark : marks)
        if (mentions(file.lines[k], mark)) found.push_back(at(file, k, mark + ": do it or file an issue"));
  }
  return found;
}

Violations arithmetic_is_exact(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_build_file()) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      for (const char* flag : {"-ffast-math", "-Ofast", "-funsafe-math-optimizations", "-march=native"})
        if (file.lines[k].find(flag) != std::string::npos)
          found.push_back(at(file, k, std::string(flag) + ": the bits of a run may not depend on it"));
  }
  return found;
}

Violations whitespace_is_clean(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    for (std::size_t k = 0; k < file.lines.size(); ++k) {
      const std::string& line = file.lines[k];
      if (line.find('\t') != line.npos) found.push_back(at(file, k, "a tab"));
      if (line.ends_with(' ') || line.ends_with('\r')) found.push_back(at(file, k, "trailing whitespace"));
    }
    if (!file.ends_with_newline) found.push_back(at(file, file.lines.size() - 1, "no newline at the end"));
  }
  return found;
}

/// Whether a CMake file names the source, or all sources of its folder: `peer/a.cpp`, `peer/*.cpp`.
bool builds(const SourceFile& build, const SourceFile& source) {
  constexpr std::string_view file_name = "CMakeLists.txt";
  if (!build.path.ends_with(file_name)) return false;
  const std::string folder = build.path.substr(0, build.path.size() - file_name.size());
  if (!source.path.starts_with(folder)) return false;
  const std::string name = source.path.substr(folder.size());
  const std::string pattern = name.substr(0, name.rfind('/') + 1) + "*.cpp";
  return std::ranges::any_of(build.lines, [&](const std::string& line) {
    return mentions(line, name) || (" " + line).find(" " + pattern) != line.npos;
  });
}

/// A source that no CMake file names is never compiled, and a test in it never run.
Violations sources_are_built(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.path.ends_with(".cpp")) continue;
    if (std::ranges::none_of(tree.files, [&](const SourceFile& build) { return builds(build, file); }))
      found.push_back(file.path + ":1: named in no CMakeLists.txt, so never built");
  }
  return found;
}

/// CMake takes a name with a semicolon for two, and runs neither: a filter that fits no test passes.
Violations test_names_are_whole(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.path.ends_with(".cpp")) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k) {
      if (file.code[k].find("TEST_CASE") == std::string::npos) continue;
      std::size_t last = k;  // line of the name's end
      while (last + 1 < file.lines.size() && file.code[last].find(')') == std::string::npos) ++last;
      for (std::size_t line = k; line <= last; ++line)
        for (std::size_t c = 0; c < std::min(file.lines[line].size(), file.code[line].find(')')); ++c)
          if (file.lines[line][c] == ';' && file.code[line][c] == ' ')
            found.push_back(at(file, line, "a test's name has a semicolon, so ctest does not run it"));
    }
  }
  return found;
}

}  // namespace

const std::vector<HouseRule>& house_rules() {
  static const std::vector<HouseRule> rules = {
      {"the root holds the rooms and nothing else", only_known_rooms},
      {"includes follow the rooms", includes_follow_the_rooms},
      {"every room has a README", every_room_has_a_readme},
      {"libraries follow the layers", libraries_follow_the_layers},
      {"what belongs to few files stays there", keep_bans},
      {"headers are light", headers_are_light},
      {"every header has #pragma once", headers_have_pragma_once},
      {"headers include what they name of the standard library", headers_include_what_they_name},
      {"a header and its source have at most 500 lines", pairs_are_short},
      {"no function is longer than 60 lines", functions_are_short},
      {"what is defined is used", nothing_is_dead},
      {"the functions of a class stand in one file", classes_stand_in_one_file},
      {"sources of a folder can be compiled together", sources_compile_together},
      {"no class has more than 20 fields", classes_have_few_fields},
      {"no comment goes beyond 110 columns", comments_are_narrow},
      {"the front page has at most 200 lines", front_page_is_short},
      {"links of pages lead somewhere", links_lead_somewhere},
      {"nothing is left to do", nothing_is_left_to_do},
      {"no flag changes the arithmetic", arithmetic_is_exact},
      {"no tabs, no trailing whitespace, a newline at the end", whitespace_is_clean},
      {"every source is built", sources_are_built},
      {"ctest runs every test", test_names_are_whole}};
  return rules;
}

Violations missing_in_readme(const SourceTree& tree, const std::string& readme,
                             const std::vector<std::string>& names) {
  const auto page = std::ranges::find(tree.files, readme, &SourceFile::path);
  if (page == tree.files.end()) return {readme + ":1: is missing"};
  Violations found;
  for (const std::string& name : names)
    if (std::none_of(page->lines.begin(), page->lines.end(),
                     [&](const std::string& line) { return mentions(line, name); }))
      found.push_back(readme + ":1: does not mention " + name);
  return found;
}

Violations stale_table(const SourceTree& tree, const std::string& name, const std::string& said) {
  Violations found;
  bool stands_somewhere = false;
  for (const SourceFile& page : tree.files) {
    const std::vector<std::string>& lines = page.lines;
    const auto begin = std::ranges::find(lines, "<!-- generated: hearsay list --markdown " + name + " -->");
    if (begin == lines.end()) continue;
    stands_somewhere = true;
    const auto end = std::find(begin, lines.end(), "<!-- end of what is generated -->");
    std::string table;
    for (auto line = begin + 1; line < end; ++line) table += *line + "\n";
    if (end == lines.end() || table != said)
      found.push_back(
          at(page, static_cast<std::size_t>(begin - lines.begin()),
             "the table of " + name + " is stale; tools/renew_tables.sh writes what the registries say"));
  }
  if (!stands_somewhere) found.push_back("README.md:1: no page has the table of " + name);
  return found;
}

}  // namespace hearsay
