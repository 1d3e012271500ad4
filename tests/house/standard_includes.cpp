#include "tests/house/standard_includes.hpp"

#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace hearsay {

namespace {

const std::map<std::string, std::vector<std::string>> names_of = {
    {"<algorithm>",
     {"all_of",      "any_of",    "binary_search", "clamp",       "contains", "copy",        "copy_if",
      "copy_n",      "count",     "count_if",      "equal",       "fill",     "fill_n",      "find",
      "find_if",     "for_each",  "is_sorted",     "lower_bound", "max",      "max_element", "min",
      "min_element", "none_of",   "nth_element",   "remove_if",   "reverse",  "rotate",      "sort",
      "stable_sort", "transform", "unique",        "upper_bound"}},
    {"<array>", {"array"}},
    {"<atomic>",
     {"atomic", "atomic_thread_fence", "memory_order_acq_rel", "memory_order_acquire", "memory_order_relaxed",
      "memory_order_release"}},
    {"<bit>",
     {"bit_cast", "bit_ceil", "bit_floor", "bit_width", "countl_zero", "countr_zero", "endian",
      "has_single_bit", "popcount"}},
    {"<chrono>", {"chrono"}},
    {"<cmath>",
     {"abs",       "ceil",     "copysign", "cos",     "exp",   "expm1",   "fabs", "floor", "fmax", "fmin",
      "hypot",     "isfinite", "isinf",    "isnan",   "ldexp", "llround", "log",  "log1p", "log2", "lround",
      "nextafter", "pow",      "round",    "signbit", "sin",   "sqrt",    "tanh", "trunc"}},
    {"<compare>", {"partial_ordering", "strong_ordering"}},
    {"<concepts>",
     {"convertible_to", "equality_comparable", "floating_point", "integral", "same_as", "unsigned_integral"}},
    {"<condition_variable>", {"condition_variable", "condition_variable_any"}},
    {"<coroutine>", {"coroutine_handle", "suspend_always", "suspend_never"}},
    {"<cstddef>", {"byte", "nullptr_t", "ptrdiff_t", "size_t", "to_integer"}},
    {"<cstdint>",
     {"int16_t", "int32_t", "int64_t", "int8_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintmax_t",
      "uintptr_t"}},
    {"<cstring>", {"memcmp", "memcpy", "memset", "strerror", "strlen"}},
    {"<deque>", {"deque"}},
    {"<exception>",
     {"current_exception", "exception", "exception_ptr", "rethrow_exception", "terminate",
      "uncaught_exceptions"}},
    {"<filesystem>", {"filesystem"}},
    {"<fstream>", {"ifstream", "ofstream"}},
    {"<functional>",
     {"equal_to", "function", "greater", "hash", "identity", "invoke", "less", "plus", "ref",
      "reference_wrapper"}},
    {"<future>", {"async", "future", "launch", "promise"}},
    {"<initializer_list>", {"initializer_list"}},
    {"<limits>", {"numeric_limits"}},
    {"<map>", {"map", "multimap"}},
    {"<memory>",
     {"addressof", "enable_shared_from_this", "make_shared", "make_unique", "shared_ptr", "unique_ptr",
      "weak_ptr"}},
    {"<mutex>", {"call_once", "lock_guard", "mutex", "once_flag", "scoped_lock", "unique_lock"}},
    {"<numeric>", {"accumulate", "gcd", "inner_product", "iota", "lcm", "reduce"}},
    {"<optional>", {"make_optional", "nullopt", "optional"}},
    {"<queue>", {"priority_queue", "queue"}},
    {"<set>", {"multiset", "set"}},
    {"<source_location>", {"source_location"}},
    {"<span>", {"as_bytes", "as_writable_bytes", "span"}},
    {"<sstream>", {"istringstream", "ostringstream"}},
    {"<stdexcept>", {"invalid_argument", "logic_error", "out_of_range", "runtime_error"}},
    {"<stop_token>", {"stop_source", "stop_token"}},
    {"<string>", {"getline", "stod", "stoi", "string", "to_string"}},
    {"<string_view>", {"string_view"}},
    {"<system_error>", {"error_code", "system_error"}},
    {"<thread>", {"jthread", "thread"}},
    {"<tuple>", {"tie", "tuple"}},
    {"<type_traits>",
     {"conditional_t", "decay_t", "is_constructible_v", "is_floating_point_v", "is_integral_v", "is_same_v",
      "remove_cvref_t", "type_identity_t"}},
    {"<unordered_map>", {"unordered_map"}},
    {"<unordered_set>", {"unordered_set"}},
    {"<utility>",
     {"as_const", "exchange", "forward", "index_sequence", "make_index_sequence", "make_pair", "move", "pair",
      "swap"}},
    {"<variant>", {"get_if", "holds_alternative", "monostate", "variant", "visit"}},
    {"<vector>", {"vector"}},
};

/// Comes with every container that it is used on.
const std::string of_any_container = "erase_if";

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
        if (const std::string header = header_of(name); header.empty()) {
          if (name != of_any_container && told.insert(name).second)
            found.push_back(at(file, k, "std::" + name + ": standard_includes.cpp does not know its header"));
        } else if (!includes.of(file.path).contains(header) && told.insert(header).second) {
          found.push_back(at(file, k, "std::" + name + ": " + header + " is not included"));
        }
  }
  return found;
}

}  // namespace hearsay
