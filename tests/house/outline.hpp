#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/house/source_tree.hpp"

namespace hearsay {

/// A piece of C++ code: a name, a number, `::`, `->`, or a single other character.
struct Token {
  std::string_view text;  ///< of the file
  std::size_t line;       ///< index of its line

  bool is_name() const;
};

/// Something that a file declares, at the scope of a namespace or of a class, or a function that stands in a
/// table. Its head is tokens[begin, head_end): all before the semicolon, or before the brace of its body.
struct Statement {
  enum class Kind {
    type,           ///< a class, a union or an enumeration
    alias,          ///< using NAME = ...
    function,       ///< a test case is one, too
    value,          ///< a variable, a constant, a field, a concept
    instantiation,  ///< explicit: template class NAME<...>
    other,          ///< using declarations, assertions, specializations
  };
  Kind kind = Kind::other;
  bool in_class = false;
  std::size_t begin = 0;
  std::size_t head_end = 0;
  std::size_t end = 0;   ///< of the body, or of the head if it has none
  std::size_t name = 0;  ///< the token that is declared; there is none if this is `end`

  bool has_name() const { return name < end; }

  /// True if this has the body of a function: of its own, or of one that a value holds.
  bool is_function_body() const { return end > head_end && kind != Kind::type; }
};

/// What a file declares, without what stands inside of functions.
struct Outline {
  std::vector<Token> tokens;          ///< without those of preprocessor directives
  std::vector<Statement> statements;  ///< a class comes after its members
  /// For each line: it begins inside of a table, and not inside of a function in that table. A table is a
  /// braced list of values that a name, a `return` or a loop takes; the arguments of a call are none.
  std::vector<bool> begins_in_table;

  /// Returns the name of a statement; empty if it has none.
  std::string name_of(const Statement& statement) const;

  /// Returns the indices of the first and the last line of a function.
  std::pair<std::size_t, std::size_t> lines_of(const Statement& function) const;
};

Outline outline_of(const SourceFile& file);

}  // namespace hearsay
