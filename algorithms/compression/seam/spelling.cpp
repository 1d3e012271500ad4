#include "algorithms/compression/seam/spelling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

[[noreturn]] void refuse_at(const std::string& text, std::size_t column, const std::string& what) {
  throw Misuse("algorithm.compressor", '"' + text + '"', "column " + std::to_string(column) + ": " + what);
}

bool is_word(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
         std::string_view(".%+-_^/").find(c) != std::string_view::npos;
}

/// The character that begins at byte `at`, in quotes, with all bytes of its UTF-8 sequence. A byte that
/// begins no sequence, or a control character, is given in hex.
std::string character(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(k < text.size() ? text[k] : 0); };
  const int ones = std::countl_one(byte(at));
  const std::size_t size = ones == 0 ? 1 : static_cast<std::size_t>(ones);
  bool whole = ones == 0 ? byte(at) >= ' ' && byte(at) != 0x7F : 2 <= ones && ones <= 4;
  for (std::size_t k = 1; whole && k < size; ++k) whole = std::countl_one(byte(at + k)) == 1;
  if (whole) return '\'' + text.substr(at, size) + '\'';
  char hex[16];
  std::snprintf(hex, sizeof hex, "the byte 0x%02X", unsigned{byte(at)});
  return hex;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) { skip_blanks(); }

  std::size_t column() const { return at_ + 1; }
  bool at_end() const { return at_ == text_.size(); }
  char next() const { return text_[at_]; }

  bool take(char expected) {
    if (at_end() || text_[at_] != expected) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  std::string word(const std::string& expected) {
    const std::size_t begin = at_;
    while (!at_end() && is_word(text_[at_])) ++at_;
    if (at_ == begin) refuse(expected);
    const std::string word = text_.substr(begin, at_ - begin);
    skip_blanks();
    return word;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    refuse_at(text_, column(),
              "expected " + expected + ", got " + (at_end() ? "the end" : character(text_, at_)));
  }

 private:
  void skip_blanks() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

std::string parse_value(Reader& reader, const std::string& expected) {
  if (!reader.take('{')) return reader.word(expected);
  std::string list = "{";
  do {
    if (list.size() > 1) list += ',';
    list += reader.word("a number");
  } while (reader.take(','));
  if (!reader.take('}')) reader.refuse("',' or '}'");
  return list + '}';
}

StageSpelling::Argument parse_argument(Reader& reader) {
  StageSpelling::Argument argument;
  argument.column = argument.value_column = reader.column();
  argument.value = parse_value(reader, "an argument");
  if (argument.value.front() != '{' && reader.take('=')) {
    argument.key = std::move(argument.value);
    argument.value_column = reader.column();
    argument.value = parse_value(reader, "a value for '" + argument.key + "'");
  }
  return argument;
}

constexpr unsigned deepest_nesting = 8;
/// Limited, since every stage keeps a copy of the whole spelling for its messages.
constexpr std::size_t longest_spelling = 4096;

/// Parses one pipeline, which is inside `depth` pairs of braces.
PipelineSpelling parse_pipeline(Reader& reader, const std::string& text, unsigned depth) {
  PipelineSpelling pipeline;
  do {
    StageSpelling& stage = pipeline.emplace_back();
    stage.text = text;
    stage.column = reader.column();
    stage.name = reader.word(pipeline.size() == 1 ? "the name of a compressor" : "the name of a stage");
    const bool arguments = reader.take('(');
    if (arguments) {
      do {
        stage.arguments.push_back(parse_argument(reader));
      } while (reader.take(','));
      if (!reader.take(')')) reader.refuse("',' or ')'");
    }
    while (reader.take('{')) {
      if (depth == deepest_nesting) reader.refuse("no more than 8 braces in one another");
      stage.bodies.push_back(parse_pipeline(reader, text, depth + 1));
      if (!reader.take('}')) reader.refuse("'|' or '}'");
    }
    const bool more_or_end = reader.at_end() || reader.next() == '|' || (depth > 0 && reader.next() == '}');
    if (!more_or_end)
      reader.refuse(std::string(arguments || !stage.bodies.empty() ? "'|' or " : "'(', '|' or ") +
                    (depth > 0 ? "'}'" : "the end"));
  } while (reader.take('|'));
  return pipeline;
}

}  // namespace

PipelineSpelling parse_pipeline(const std::string& text) {
  if (text.size() > longest_spelling)
    throw Misuse("algorithm.compressor", '"' + text.substr(0, 40) + "...\"",
                 "expected at most " + std::to_string(longest_spelling) + " characters, got " +
                     std::to_string(text.size()));
  Reader reader(text);
  return parse_pipeline(reader, text, 0);
}

void refuse_stage(const StageSpelling& stage, const std::string& what) {
  refuse_at(stage.text, stage.column, what);
}

Arguments::Arguments(const StageSpelling& stage, const StageSignature& signature) : stage_(stage) {
  const auto contains = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> seen;
  for (StageSpelling::Argument& argument : stage_.arguments) {
    const bool is_flag = argument.key.empty() && contains(signature.flags, argument.value);
    const bool is_first = &argument == stage_.arguments.data();
    if (argument.key.empty() && !is_flag && is_first) argument.key = signature.bare;
    const std::string name = argument.key.empty() ? argument.value : argument.key;
    if (!is_flag && !contains(signature.keys, name)) {
      std::vector<std::string> known = signature.keys;
      known.insert(known.end(), signature.flags.begin(), signature.flags.end());
      refuse_at(stage_.text, argument.column,
                known.empty()
                    ? stage_.name + " takes no arguments"
                    : stage_.name + " has no argument '" + name + "'" + did_you_mean(name, known, "'"));
    }
    if (!is_flag && argument.key.empty())
      refuse_at(stage_.text, argument.column, "expected '" + name + "=' and a value");
    if (contains(seen, name)) refuse_at(stage_.text, argument.column, "'" + name + "' is given twice");
    seen.push_back(name);
  }
}

const StageSpelling::Argument* Arguments::find(std::string_view key) const {
  for (const StageSpelling::Argument& argument : stage_.arguments)
    if (argument.key == key) return &argument;
  return nullptr;
}

bool Arguments::flag(std::string_view name) const {
  return std::any_of(stage_.arguments.begin(), stage_.arguments.end(),
                     [&](const auto& argument) { return argument.key.empty() && argument.value == name; });
}

std::string_view Arguments::text(std::string_view key) const {
  const auto* argument = find(key);
  return argument ? std::string_view(argument->value) : std::string_view();
}

void Arguments::refuse(std::string_view key, const std::string& expected) const {
  const auto* argument = find(key);
  if (!argument) refuse_at(stage_.text, stage_.column, stage_.name + " needs " + expected);
  refuse_at(stage_.text, argument->value_column, "expected " + expected + ", got '" + argument->value + "'");
}

std::string Arguments::word(std::string_view key, std::span<const std::string> words) const {
  const auto* argument = find(key);
  if (!argument) return words.front();
  if (std::find(words.begin(), words.end(), argument->value) == words.end()) {
    std::string list = words.front();
    for (const std::string& word : words.subspan(1)) list += " or " + word;
    refuse(key, list);
  }
  return argument->value;
}

std::optional<std::uint64_t> Arguments::count(std::string_view key, std::uint64_t least, std::uint64_t most,
                                              const std::string& instead) const {
  const auto* argument = find(key);
  if (!argument) return std::nullopt;
  std::uint64_t value = 0;
  if (!parse_whole(argument->value, value) || value < least || value > most)
    refuse(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most) + instead);
  return value;
}

std::optional<double> Arguments::positive(std::string_view key) const {
  const auto* argument = find(key);
  if (!argument) return std::nullopt;
  double value = 0.0;
  bool is_number = parse_number(argument->value, value);
  if (argument->value.starts_with("2^")) {
    is_number =
        parse_number(std::string_view(argument->value).substr(2), value) && value == std::trunc(value);
    if (!is_number) refuse(key, "a whole number after 2^, such as 2^-12");
    value = std::exp2(value);
  }
  if (!is_number || !(value > 0.0) || !std::isfinite(value)) refuse(key, "a number above 0");
  return value;
}

std::optional<double> Arguments::positive_with_unit(std::string_view key, std::string_view unit) const {
  const auto* argument = find(key);
  if (!argument) return std::nullopt;
  std::string_view digits = argument->value;
  double value = 0.0;
  const bool has_unit = digits.ends_with(unit);
  if (has_unit) digits.remove_suffix(unit.size());
  if (!has_unit || !parse_number(digits, value) || !(value > 0.0))
    refuse(key, "a number above 0 and its unit, such as 2.5" + std::string(unit));
  return value;
}

std::vector<double> Arguments::list(std::string_view key) const {
  const auto* argument = find(key);
  if (!argument || argument->value.front() != '{') return {};
  std::vector<double> numbers;
  std::string_view rest = std::string_view(argument->value).substr(1);
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(",}");
    double number = 0.0;
    if (!parse_number(rest.substr(0, end), number)) refuse(key, "a list of numbers such as {0,0.5,1}");
    numbers.push_back(number);
    rest.remove_prefix(end + 1);
  }
  return numbers;
}

std::optional<double> Arguments::share(std::string_view key) const {
  const auto* argument = find(key);
  if (!argument) return std::nullopt;
  std::string_view digits = argument->value;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  const bool whole_number = !percent && digits.find_first_not_of("0123456789") == std::string_view::npos;
  double number = 0.0;
  const bool is_number = parse_number(digits, number);
  const double share = percent ? number / 100.0 : number;
  if (!is_number || whole_number || !(share > 0.0 && share <= 1.0))
    refuse(key, "a share in (0%, 100%] such as 1% or 0.01");
  return share;
}

}  // namespace hearsay
