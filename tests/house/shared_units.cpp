#include "tests/house/shared_units.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <string_view>
#include <tuple>

namespace hearsay {

namespace {

/// A name that a source defines in its anonymous namespace.
struct HiddenName {
  std::string around;  ///< the namespace around the anonymous one
  std::string name;
  std::string definition;  ///< the line
  std::size_t line;
};

bool is_alias(const std::string& line) {
  static const std::regex alias(R"(^(?:using|namespace) \w+ = .*;$)");
  return std::regex_match(line, alias);
}

/// Returns what a line at the margin defines; empty if it defines nothing.
std::string defined_by(const std::string& line) {
  static const std::regex type(R"(^(?:struct|class|enum class|enum|union|using|namespace) (\w+))");
  static const std::regex other(R"((\w+)\s*[({=;\[])");
  static const std::vector<std::string> no_definitions = {"template", "using namespace", "#", "}",
                                                          "static_assert"};
  std::smatch found;
  if (line.empty() || line.front() == ' ' || begins_with_any(line, no_definitions)) return {};
  if (std::regex_search(line, found, type) || std::regex_search(line, found, other)) return found[1];
  return {};
}

std::vector<HiddenName> hidden_names(const SourceFile& file) {
  static const std::regex opened(R"(^namespace ([\w:]+) \{$)");
  std::vector<HiddenName> names;
  std::string around;
  std::ptrdiff_t depth = 0;
  std::ptrdiff_t hidden = 0;  // the depth inside of the anonymous namespace; 0: outside
  for (std::size_t k = 0; k < file.code.size(); ++k) {
    const std::string& line = file.code[k];
    std::smatch found;
    if (std::regex_match(line, found, opened)) {
      around = found[1];
    } else if (hidden != 0) {
      if (const std::string name = defined_by(line); !name.empty()) names.push_back({around, name, line, k});
    }
    depth += std::ranges::count(line, '{') - std::ranges::count(line, '}');
    if (line == "namespace {") hidden = depth;
    if (depth < hidden) hidden = 0;
  }
  return names;
}

/// True if the line calls a function `name` that is no member and of no other namespace.
bool calls(const std::string& line, const std::string& name) {
  const std::string call = name + "(";
  for (std::size_t at = line.find(call); at != line.npos; at = line.find(call, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) == 0 &&
        std::string_view("_.>:").find(before) == std::string_view::npos)
      return true;
  }
  return false;
}

/// A source that includes itself once for every vector instruction set is always a unit of its own.
bool is_kernel(const SourceFile& file) {
  return std::ranges::any_of(
      file.code, [](const std::string& line) { return included_by(line) == "<hwy/foreach_target.h>"; });
}

bool is_compiled_with_others(const SourceFile& file) {
  const bool own_program = file.path.starts_with("tests/fuzz/") || file.path.starts_with("tests/consumer/");
  const bool in_units = file.is_product() || file.path.starts_with("tests/");
  return file.path.ends_with(".cpp") && in_units && !own_program && !is_kernel(file);
}

/// A function of an anonymous namespace is called instead of one that a header declares, by the other
/// sources of a unit, too: with numbers for arguments even if the types differ.
Violations hidden_functions_take_no_calls(const SourceTree& tree) {
  std::map<std::string, std::string> declared;  // name, header
  for (const SourceFile& file : tree.files)
    if (file.is_header() && file.is_product())
      for (const std::string& line : file.code)
        if (line.find('(') != line.npos) declared.try_emplace(defined_by(line), file.path);
  std::map<std::string, std::vector<const SourceFile*>> sources;
  for (const SourceFile& file : tree.files)
    if (file.is_product() && is_compiled_with_others(file)) sources[folder_of(file.path)].push_back(&file);
  Violations found;
  for (const auto& [folder, files] : sources)
    for (const SourceFile* file : files)
      for (const HiddenName& hidden : hidden_names(*file)) {
        const auto header = declared.find(hidden.name);
        if (header == declared.end() || is_alias(hidden.definition)) continue;
        for (const SourceFile* other : files) {
          if (other == file || std::ranges::none_of(other->code, [&](const std::string& line) {
                return calls(line, hidden.name);
              }))
            continue;
          found.push_back(at(*file, hidden.line,
                             hidden.name + " of " + header->second + " is called in " + other->path +
                                 ", which may be compiled together with this one"));
        }
      }
  return found;
}

}  // namespace

Violations sources_compile_together(const SourceTree& tree) {
  struct Place {
    std::string path;
    std::string definition;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Place> first;
  Violations found = hidden_functions_take_no_calls(tree);
  for (const SourceFile& file : tree.files) {
    if (!is_compiled_with_others(file)) continue;
    const std::string folder = folder_of(file.path);
    const std::string stem = file.path.substr(folder.size() + 1, file.path.size() - folder.size() - 5);
    const bool has_tests =
        stem.ends_with("_test") &&
        std::ranges::any_of(file.code, [](const std::string& line) { return line.starts_with("TEST_CASE"); });
    const auto opens_its_own = [&](const std::string& line) {
      return line == "namespace " + stem + " {" ||
             (line.starts_with("namespace ") && line.ends_with("::" + stem + " {"));
    };
    if (has_tests && std::ranges::none_of(file.code, opens_its_own))
      found.push_back(file.path + ":1: the names of a test stand in a namespace of its own, " + stem);
    for (const HiddenName& hidden : hidden_names(file)) {
      const auto [place, is_new] =
          first.try_emplace({folder, hidden.around, hidden.name}, Place{file.path, hidden.definition});
      const bool same_alias = is_alias(hidden.definition) && place->second.definition == hidden.definition;
      if (!is_new && place->second.path != file.path && !same_alias)
        found.push_back(
            at(file, hidden.line,
               hidden.name + " stands in the anonymous namespace of " + place->second.path + ", too"));
    }
  }
  return found;
}

}  // namespace hearsay
