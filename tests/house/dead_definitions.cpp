#include "tests/house/dead_definitions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "tests/house/outline.hpp"

namespace hearsay {

namespace {

/// Names that others call than the product, each with who does.
const std::set<std::string_view> called_by_others = {
    // C++; the others are of the promise of a coroutine.
    "main",
    "get_return_object",
    "initial_suspend",
    "final_suspend",
    "return_void",
    "unhandled_exception",
    // Boost.Graph, of a visitor.
    "discover_vertex",
    // Spectra, of an operator.
    "perform_op",
    // A test of the law "fused equals unfused". Only the parts of compressors can build the other side.
    "make_unfused_compressor",
    // A test whose processes have clocks that leap. Only the clock's own file can shift it.
    "leap_forward",
};

/// What the product says of a name.
struct Known {
  const SourceFile* file = nullptr;  // that declares it first; none if it is not ours
  std::size_t line = 0;
  bool is_ours = false;            // not only as an override of what a library declares
  bool is_member_function = true;  // everywhere
  std::size_t uses = 0;            // besides its declarations and definitions
  std::size_t calls = 0;           // uses that may be those of a member function: `name(`, `Class::name`
};

/// Returns where `Name<...>` begins, whose last token is at `k`.
std::size_t begin_of_name(std::span<const Token> tokens, std::size_t k) {
  std::size_t depth = 0;
  for (; k > 0; --k) {
    if (tokens[k].text == ">") ++depth;
    if (depth == 0) return k;
    if (tokens[k].text == "<" && --depth == 0) return k - 1;
  }
  return k;
}

/// The names of the product, each with where it is declared and how often it stands elsewhere.
class NameCount {
 public:
  void read(const SourceFile& file) {
    const Outline outline = outline_of(file);
    const std::vector<Token>& tokens = outline.tokens;
    std::vector<bool> is_use(tokens.size(), true);
    for (const Statement& statement : outline.statements)
      if (statement.has_name()) declare(file, outline, statement, is_use);
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      if (!is_use[k] || !tokens[k].is_name()) continue;
      Known& known = known_[tokens[k].text];
      ++known.uses;
      const std::string_view next = k + 1 < tokens.size() ? tokens[k + 1].text : std::string_view{};
      if (next == "(" || next == "<" || (k > 0 && tokens[k - 1].text == "::")) ++known.calls;
    }
  }

  Violations dead() const {
    Violations found;
    for (const auto& [name, known] : known_)
      if (known.file != nullptr && known.is_ours && !called_by_others.contains(name) &&
          (known.is_member_function ? known.calls : known.uses) == 0)
        found.push_back(at(*known.file, known.line, std::string(name) + " is used nowhere"));
    return found;
  }

 private:
  /// What declares a name does not use it: not its head, not its body, not the classes around it in
  /// `Class::name`.
  void declare(const SourceFile& file, const Outline& outline, const Statement& statement,
               std::vector<bool>& is_use) {
    const std::span<const Token> tokens = outline.tokens;
    std::set<std::string_view> own = {tokens[statement.name].text};
    for (std::size_t k = statement.name; k >= statement.begin + 2 && tokens[k - 1].text == "::";) {
      k = begin_of_name(tokens, k - 2);
      own.insert(tokens[k].text);
    }
    for (std::size_t k = statement.begin; k < statement.end; ++k)
      if (own.contains(tokens[k].text)) is_use[k] = false;
    if (file.is_product() && statement.kind != Statement::Kind::instantiation &&
        !is_macro(tokens[statement.name].text))
      note(file, outline, statement, own.size() > 1);
  }

  void note(const SourceFile& file, const Outline& outline, const Statement& statement, bool is_qualified) {
    const auto head =
        std::span(outline.tokens).subspan(statement.begin, statement.head_end - statement.begin);
    const auto says = [&](std::string_view word) {
      return std::ranges::find(head, word, &Token::text) != head.end();
    };
    const Token& name = outline.tokens[statement.name];
    Known& known = known_[name.text];
    if (known.file == nullptr || (known.file == &file && name.line < known.line)) {
      known.file = &file;
      known.line = name.line;
    }
    known.is_ours = known.is_ours || (!says("override") && !says("final"));
    const bool is_member = statement.kind == Statement::Kind::function &&
                           (statement.in_class || is_qualified) && !says("static");
    known.is_member_function = known.is_member_function && is_member;
  }

  /// Macros are written in capitals.
  static bool is_macro(std::string_view name) {
    return std::ranges::none_of(name, [](unsigned char c) { return std::islower(c) != 0; });
  }

  std::map<std::string_view, Known> known_;
};

}  // namespace

Violations nothing_is_dead(const SourceTree& tree) {
  NameCount names;
  for (const SourceFile& file : tree.files)
    if (file.is_cpp() && (file.is_product() || file.path.starts_with("tests/consumer/"))) names.read(file);
  return names.dead();
}

}  // namespace hearsay
