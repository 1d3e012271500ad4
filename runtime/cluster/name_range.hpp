#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay {

/// Returns the texts that a spelling with numbers in brackets stands for, in order:
///
///     node[08-11]                      node08 node09 node10 node11     (leading zeros keep the width)
///     node[1-3,7]                      node1 node2 node3 node7
///     tcp://10.0.0.[1-4]:[7000-7003]   tcp://10.0.0.1:7000 ... tcp://10.0.0.4:7003   (they step together)
///
/// A text without a range stands for itself. Brackets are a range only around digits, commas and dashes;
/// other brackets are plain text, such as those of an IPv6 address. Throws Misuse (with `key`) for a
/// malformed or descending range, for ranges of different lengths, and for more than `most_names_of_a_range`
/// names.
std::vector<std::string> expand_ranges(const std::string& key, std::string_view text);

/// True if the text has a range in it, well-formed or not.
bool has_range(std::string_view text);

/// Expands every part of a list as Slurm writes it, "node[1-3,7],gpu1". Commas outside of brackets separate
/// the parts.
std::vector<std::string> expand_list(const std::string& key, std::string_view text);

inline constexpr std::size_t most_names_of_a_range = 10'000;

/// Texts that one spelling with ranges stands for, the inverse of `expand_ranges`: node08, node09, node10 are
/// "node[08-10]". Equal texts are a row, too; it is spelled without a range.
class NameRow {
 public:
  explicit NameRow(std::string first) : first_(std::move(first)) {}

  /// True if `text` continues the row: each of its numbers is that of the text before, or is one higher.
  bool continues_with(std::string_view text) const;
  /// Adds a text that continues the row.
  void add(std::string_view text);
  std::string spelling() const;

 private:
  /// Digits in the first text.
  struct Number {
    std::size_t begin = 0;
    std::size_t length = 0;
  };

  /// Returns the numbers of the first text that grow if `second` is the next text; empty if none may.
  std::vector<Number> growing_towards(std::string_view second) const;
  /// Returns the first text with `spelled(number)` in place of each of `numbers`.
  template <class Spell>
  std::string respelled(const std::vector<Number>& numbers, const Spell& spelled) const;

  std::string first_;
  std::size_t count_ = 1;
  std::vector<Number> growing_;  // known from the second text on
};

}  // namespace hearsay
