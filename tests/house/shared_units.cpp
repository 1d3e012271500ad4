#include "tests/house/shared_units.hpp"

#include <algorithm>
#include <map>
#include <regex>
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
  bool hidden = false;
  for (std::size_t k = 0; k < file.code.size(); ++k) {
    const std::string& line = file.code[k];
    std::smatch found;
    if (line == "namespace {") {
      hidden = true;
    } else if (file.lines[k] == "}  // namespace") {
      hidden = false;
    } else if (std::regex_match(line, found, opened)) {
      around = found[1];
    } else if (hidden) {
      if (const std::string name = defined_by(line); !name.empty()) names.push_back({around, name, line, k});
    }
  }
  return names;
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

}  // namespace

Violations sources_compile_together(const SourceTree& tree) {
  struct Place {
    std::string path;
    std::string definition;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Place> first;
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!is_compiled_with_others(file)) continue;
    const std::size_t slash = file.path.rfind('/');
    const std::string folder = file.path.substr(0, slash);
    const std::string stem = file.path.substr(slash + 1, file.path.size() - slash - 5);
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
