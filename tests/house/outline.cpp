#include "tests/house/outline.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <span>

namespace hearsay {

namespace {

using Tokens = std::span<const Token>;

using Words = std::initializer_list<std::string_view>;

bool is_any(std::string_view text, Words words) { return std::ranges::find(words, text) != words.end(); }

/// Returns the length of the token that `rest` begins with.
std::size_t token_length(std::string_view rest) {
  if (rest.starts_with("::") || rest.starts_with("->")) return 2;
  if (!is_name_character(rest.front())) return 1;
  const auto end = std::ranges::find_if(rest, [](char c) { return !is_name_character(c) && c != '\''; });
  return static_cast<std::size_t>(end - rest.begin());
}

/// Returns the tokens of a file, without those of preprocessor directives.
std::vector<Token> tokens_of(const SourceFile& file) {
  std::vector<Token> tokens;
  bool in_directive = false;
  for (std::size_t line = 0; line < file.code.size(); ++line) {
    std::string_view rest = file.code[line];
    const std::size_t begin = rest.find_first_not_of(' ');
    in_directive = in_directive || (begin != rest.npos && rest[begin] == '#');
    const bool goes_on = in_directive && rest.ends_with('\\');
    while (!in_directive && !rest.empty()) {
      const std::size_t length = token_length(rest);
      if (rest.front() != ' ') tokens.push_back({rest.substr(0, length), line});
      rest.remove_prefix(length);
    }
    in_directive = goes_on;
  }
  return tokens;
}

/// Returns the position after the group of brackets that opens at `begin`, or the end.
std::size_t after_group(Tokens tokens, std::size_t begin, std::string_view open, std::string_view close) {
  std::size_t depth = 0;
  for (std::size_t k = begin; k < tokens.size(); ++k) {
    if (tokens[k].text == open) ++depth;
    if (tokens[k].text == close && --depth == 0) return k + 1;
  }
  return tokens.size();
}

/// Returns the number of tokens before what is declared: `template <...>`, `[[...]]`, `friend`.
std::size_t prelude(Tokens head) {
  std::size_t k = 0;
  while (k < head.size()) {
    if (head[k].text == "template" && k + 1 < head.size() && head[k + 1].text == "<")
      k = after_group(head, k + 1, "<", ">");
    else if (head[k].text == "[" && k + 1 < head.size() && head[k + 1].text == "[")
      k = after_group(head, k, "[", "]");
    else if (head[k].text == "friend" || head[k].text == "extern")
      ++k;
    else
      break;
  }
  return k;
}

bool is_class_key(std::string_view text) { return is_any(text, {"class", "struct", "union", "enum"}); }

/// Returns where the head of a class or an enumeration has its name; no token if it specializes another.
std::size_t name_of_type(Tokens head, std::size_t k) {
  while (k < head.size() && is_class_key(head[k].text)) ++k;
  if (k < head.size() && head[k].text == "[") k = after_group(head, k, "[", "]");
  if (k < head.size() && head[k].text == "alignas") k = after_group(head, k, "(", ")");
  while (k + 2 < head.size() && head[k + 1].text == "::") k += 2;
  const bool is_special = k + 1 < head.size() && head[k + 1].text == "<";
  return k < head.size() && head[k].is_name() && !is_special ? k : head.size();
}

/// Returns the first of the tokens `wanted` from `k` on that stands in no angle brackets, or the end.
std::size_t first_of(Tokens head, std::size_t k, Words wanted) {
  for (std::ptrdiff_t depth = 0; k < head.size(); ++k) {
    if (depth == 0 && is_any(head[k].text, wanted)) return k;
    if (head[k].text == "<") ++depth;
    if (head[k].text == ">") --depth;
  }
  return head.size();
}

/// Returns where the parameters of a function begin in its head, or the end if it declares none.
std::size_t parameters_of(Tokens head, std::size_t k) {
  const Words stops = {"(", "=", "{", "operator"};
  const Words specifiers = {"decltype", "explicit", "alignas", "requires", "noexcept", "__attribute__"};
  k = first_of(head, k, stops);
  while (k < head.size() && head[k].text == "(" && k > 0 && is_any(head[k - 1].text, specifiers))
    k = first_of(head, after_group(head, k, "(", ")"), stops);
  return k < head.size() && head[k].text == "(" && k > 0 && head[k - 1].is_name() ? k : head.size();
}

/// Returns where an explicit instantiation has its name: `class NAME<float>`, `int NAME<float>(int)`.
std::size_t name_of_instance(Tokens head, std::size_t k) {
  if (k < head.size() && is_class_key(head[k].text)) {
    while (k + 2 < head.size() && head[k + 2].text == "::") k += 2;
    return k + 1;
  }
  k = first_of(head, k, {"("});
  if (k == head.size() || k == 0) return head.size();
  if (head[k - 1].is_name()) return k - 1;
  while (k > 0 && head[k].text != "<") --k;
  return k == 0 ? head.size() : k - 1;
}

/// Fills in what a statement declares, and where the name of it stands in its head.
void classify(Statement& statement, Tokens head) {
  using Kind = Statement::Kind;
  const auto declares = [&](Kind kind, std::size_t name) {
    statement.kind = kind;
    statement.name = name < head.size() ? statement.begin + name : statement.end;
  };
  const std::size_t k = prelude(head);
  declares(Kind::other, head.size());
  if (k == head.size()) return;
  const std::string_view first = head[k].text;
  if (first == "template") return declares(Kind::instantiation, name_of_instance(head, k + 1));
  if (first == "using" && k + 2 < head.size() && head[k + 2].text == "=") return declares(Kind::alias, k + 1);
  if (first == "using" || first == "static_assert" || first == "namespace") return;
  if (is_class_key(first)) {
    const std::size_t name = name_of_type(head, k);
    return declares(name == head.size() ? Kind::other : Kind::type, name);
  }
  if (const std::size_t parameters = parameters_of(head, k); parameters < head.size()) {
    const bool is_destructor = parameters > 1 && head[parameters - 2].text == "~";
    return declares(Kind::function, is_destructor ? head.size() : parameters - 1);
  }
  const std::size_t end = first_of(head, k, {"=", "{", "[", "(", "operator"});
  if (end < head.size() && head[end].text == "operator") return declares(Kind::function, head.size());
  if (end > k + 1 && head[end - 1].is_name()) declares(Kind::value, end - 1);
}

/// True if a head ends with the result type of a function: `) -> std::vector<int>`.
bool ends_with_result_type(Tokens head) {
  const Words of_types = {"::", "<", ">", "*", "&"};
  const Words before = {")", "]", "mutable", "noexcept"};
  std::ptrdiff_t depth = 0;
  for (std::size_t k = head.size(); k > 1; --k) {
    const Token& token = head[k - 1];
    if (token.text == "->") return is_any(head[k - 2].text, before);
    if (!token.is_name() && depth == 0 && !is_any(token.text, of_types)) return false;
    if (token.text == ">") ++depth;
    if (token.text == "<") --depth;
  }
  return false;
}

/// Returns what stands before the parenthesis that is open at the end of the head: the name of a function, or
/// `for`. Empty if none is open.
std::string_view open_call(Tokens head) {
  std::vector<std::string_view> callers;
  for (std::size_t k = 0; k < head.size(); ++k) {
    if (head[k].text == "(") callers.push_back(k == 0 ? head[k].text : head[k - 1].text);
    if (head[k].text == ")" && !callers.empty()) callers.pop_back();
  }
  return callers.empty() ? std::string_view{} : callers.back();
}

/// What a brace opens. A function may stand in a list, as a lambda; a block stands in a function.
enum class Scope { name_space, type, enumeration, function, block, list };

class OutlineReader {
 public:
  explicit OutlineReader(const SourceFile& file) {
    outline_.tokens = tokens_of(file);
    outline_.begins_in_table.resize(file.code.size());
  }

  Outline run() {
    for (position_ = 0; position_ < outline_.tokens.size(); ++position_) read(outline_.tokens[position_]);
    return std::move(outline_);
  }

 private:
  struct Open {
    Scope scope;
    std::size_t begin;  // of the statement
    std::size_t brace;
    bool is_table;
  };

  void read(const Token& token) {
    for (; marked_ <= token.line; ++marked_) outline_.begins_in_table[marked_] = in_table();
    if (token.text == "{") return open();
    if (token.text == "}") return close();
    const bool ends_label = token.text == ":" && is_access(previous());
    if (scope() == Scope::list || (token.text != ";" && !ends_label)) return;
    if (in_space() && token.text == ";" && position_ > begin_) add(begin_, position_, position_);
    begin_ = position_ + 1;
  }

  void open() {
    const Scope opens = opened();
    const std::string_view call = open_call(head());
    const bool is_table = opens == Scope::list && (in_table() || call.empty() || call == "for");
    open_.push_back({opens, begin_, position_, is_table});
    if (opens != Scope::list) begin_ = position_ + 1;
  }

  void close() {
    if (open_.empty()) return;
    const Open done = open_.back();
    open_.pop_back();
    const bool goes_on = done.scope == Scope::list || scope() == Scope::list;
    begin_ = goes_on ? done.begin : position_ + 1;
    const bool declares_type = done.scope == Scope::type || done.scope == Scope::enumeration;
    if (done.scope == Scope::function || (declares_type && in_space()))
      add(done.begin, done.brace, position_ + 1);
  }

  void add(std::size_t begin, std::size_t head_end, std::size_t end) {
    Statement statement{.begin = begin, .head_end = head_end, .end = end};
    statement.in_class = scope() == Scope::type;
    classify(statement, Tokens(outline_.tokens).subspan(begin, head_end - begin));
    outline_.statements.push_back(statement);
  }

  /// Returns what the brace at the present position opens.
  Scope opened() const {
    const Tokens head = this->head();
    const std::size_t k = prelude(head);
    const std::string_view first = k < head.size() ? head[k].text : std::string_view{};
    if (in_space() && (first.empty() || first == "namespace" || first == "TEST_SUITE"))
      return Scope::name_space;
    const bool is_type = is_class_key(first) && parameters_of(head, k) == head.size();
    if (is_type && scope() != Scope::list) return first == "enum" ? Scope::enumeration : Scope::type;
    const bool in_function =
        std::ranges::any_of(open_, [](const Open& around) { return around.scope == Scope::function; });
    if (!opens_block(head)) return Scope::list;
    return in_function ? Scope::block : Scope::function;
  }

  /// True if the tokens before a brace end what a block follows: `)`, `else`, `[&]`, `-> int`. The body of a
  /// constructor may follow a list: `: size_{0} {`.
  bool opens_block(Tokens head) const {
    const Words before = {")",        "]",       "else",     "do",    "try",     "const",
                          "noexcept", "mutable", "override", "final", "HWY_ATTR"};
    const Words before_any = {";", "{", "}", ":"};
    if (scope() != Scope::list && is_any(previous(), before_any) && open_call(head).empty()) return true;
    return is_any(previous(), before) || ends_with_result_type(head);
  }

  static bool is_access(std::string_view text) { return is_any(text, {"public", "protected", "private"}); }

  /// True inside of a namespace or a class, and of nothing else.
  bool in_space() const {
    return std::ranges::all_of(open_, [](const Open& around) {
      return around.scope == Scope::name_space || around.scope == Scope::type;
    });
  }

  bool in_table() const { return !open_.empty() && open_.back().is_table; }

  /// Returns what stands before the present position in its statement.
  Tokens head() const { return Tokens(outline_.tokens).subspan(begin_, position_ - begin_); }

  Scope scope() const { return open_.empty() ? Scope::name_space : open_.back().scope; }

  std::string_view previous() const {
    return position_ == 0 ? std::string_view{} : outline_.tokens[position_ - 1].text;
  }

  Outline outline_;
  std::size_t position_ = 0;
  std::size_t begin_ = 0;   // of the statement that the position is in
  std::size_t marked_ = 0;  // lines
  std::vector<Open> open_;
};

}  // namespace

bool Token::is_name() const {
  return is_name_character(text.front()) && std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

std::string Outline::name_of(const Statement& statement) const {
  return statement.has_name() ? std::string(tokens[statement.name].text) : std::string();
}

std::pair<std::size_t, std::size_t> Outline::lines_of(const Statement& function) const {
  const bool is_held = function.kind != Statement::Kind::function;  // by a value, perhaps in a long table
  return {tokens[is_held ? function.head_end : function.begin].line, tokens[function.end - 1].line};
}

Outline outline_of(const SourceFile& file) { return OutlineReader(file).run(); }

}  // namespace hearsay
