#include "tests/house/standard_includes.hpp"

#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace hearsay {

namespace {

const std::map<std::string, std::vector<std::string>> names_of = {
    {"<algorithm>", {"all_of",      "any_of",  "binary_search", "clamp",     "contains",    "copy",
                     "copy_n",      "count",   "count_if",      "equal",     "fill",        "fill_n",
                     "find",        "find_if", "for_each",      "is_sorted", "lower_bound", "max",
                     "max_element", "min",     "min_element",   "none_of",   "nth_element", "remove_if",
                     "reverse",     "sort",    "transform",     "unique",    "upper_bound"}},
    {"<array>", {"array"}},
    {"<chrono>", {"chrono"}},
    {"<cmath>", {"abs",    "ceil",     "cos",       "exp",   "expm1",   "floor", "fmax",  "fmin",
                 "hypot",  "isfinite", "isnan",     "ldexp", "llround", "log",   "log1p", "log2",
                 "lround", "pow",      "nextafter", "round", "sin",     "sqrt",  "tanh"}},
    {"<cstddef>", {"byte", "nullptr_t", "ptrdiff_t", "size_t"}},
    {"<cstdint>",
     {"int16_t", "int32_t", "int64_t", "int8_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintmax_t"}},
    {"<filesystem>", {"filesystem"}},
    {"<functional>", {"function", "greater", "hash", "invoke", "less", "plus", "ref", "reference_wrapper"}},
    {"<limits>", {"numeric_limits"}},
    {"<map>", {"map", "multimap"}},
    {"<memory>",
     {"enable_shared_from_this", "make_shared", "make_unique", "shared_ptr", "unique_ptr", "weak_ptr"}},
    {"<optional>", {"make_optional", "nullopt", "optional"}},
    {"<set>", {"multiset", "set"}},
    {"<span>", {"as_bytes", "as_writable_bytes", "span"}},
    {"<string>", {"getline", "stoi", "string", "to_string"}},
    {"<string_view>", {"string_view"}},
    {"<utility>", {"exchange", "forward", "make_pair", "move", "pair", "swap"}},
    {"<variant>", {"get_if", "holds_alternative", "monostate", "variant", "visit"}},
    {"<vector>", {"vector"}},
};

/// Returns the header of what is called std::NAME; empty if the table has none.
std::string header_of(const std::string& name) {
  static const std::map<std::string, std::string> headers = [] {
    std::map<std::string, std::string> by_name;
    for (const auto& [header, names] : names_of)
      for (const std::string& one : names) by_name[one] = header;
    return by_name;
  }();
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

/// Returns every NAME of std::NAME and std::ranges::NAME in a line of code.
std::vector<std::string> standard_names(const std::string& line) {
  static const std::string space = "std::";
  static const std::string inner = "ranges::";
  std::vector<std::string> names;
  for (std::size_t at = line.find(space); at != line.npos; at = line.find(space, at)) {
    at += space.size();
    if (line.compare(at, inner.size(), inner) == 0) at += inner.size();
    std::size_t end = at;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
      ++end;
    names.push_back(line.substr(at, end - at));
  }
  return names;
}

/// What the headers of the project include, directly or by others of the project.
class Includes {
 public:
  explicit Includes(const SourceTree& tree) {
    for (const SourceFile& file : tree.files)
      if (file.is_cpp()) files_.emplace(file.path, &file);
  }

  const std::set<std::string>& of(const std::string& path) {
    const auto [known, is_new] = known_.try_emplace(path);
    const auto file = files_.find(path);
    if (!is_new || file == files_.end()) return known->second;
    for (const std::string& line : file->second->code) {
      const std::string included = included_by(line);
      if (included.starts_with('<')) known->second.insert(included);
      if (!included.starts_with('"')) continue;
      const std::set<std::string> others = of(included.substr(1, included.size() - 2));
      known->second.insert(others.begin(), others.end());
    }
    return known->second;
  }

 private:
  std::map<std::string, const SourceFile*> files_;
  std::map<std::string, std::set<std::string>> known_;
};

}  // namespace

Violations headers_include_what_they_name(const SourceTree& tree) {
  Includes includes(tree);
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_header() || !file.is_product()) continue;
    std::set<std::string> told;
    for (std::size_t k = 0; k < file.code.size(); ++k)
      for (const std::string& name : standard_names(file.code[k]))
        if (const std::string header = header_of(name);
            !header.empty() && !includes.of(file.path).contains(header) && told.insert(header).second)
          found.push_back(at(file, k, "std::" + name + ": " + header + " is not included"));
  }
  return found;
}

}  // namespace hearsay
