#include "topology/dot_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

bool is_dot_digit(char letter) { return '0' <= letter && letter <= '9'; }

bool is_dot_letter(char letter) {
  return ('a' <= letter && letter <= 'z') || ('A' <= letter && letter <= 'Z') || letter == '_' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

}  // namespace

bool DotToken::is_keyword(std::string_view keyword) const {
  return kind == Kind::word && std::ranges::equal(text, keyword, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

DotToken DotTokens::take() {
  DotToken token = std::move(ahead_);
  next();
  return token;
}

void DotTokens::refuse(std::size_t line, const std::string& what) const {
  throw Misuse("DOT, line " + std::to_string(line) + ": " + what);
}

void DotTokens::skip_to(std::size_t end) {
  end = std::min(end, text_.size());
  line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
  at_ = end;
}

void DotTokens::skip_blanks() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      skip_to(at_ + 1);
    } else if (begins("//") || text_[at_] == '#') {
      skip_to(text_.find('\n', at_));
    } else if (begins("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) refuse(line_, "a comment begins that does not end");
      skip_to(end + 2);
    } else {
      return;
    }
  }
}

void DotTokens::next() {
  using Kind = DotToken::Kind;
  skip_blanks();
  ahead_ = {Kind::end, "", line_};
  if (at_ == text_.size()) return;
  const char letter = text_[at_];
  if (letter == '"') {
    ahead_.kind = Kind::text;
    ahead_.text = quoted();
    for (skip_blanks(); begins("+"); skip_blanks()) {
      skip_to(at_ + 1);
      skip_blanks();
      if (!begins("\"")) refuse(line_, "expected text in quotes after +");
      ahead_.text += quoted();
    }
  } else if (letter == '<') {
    ahead_.kind = Kind::html;
    ahead_.text = html();
  } else if (begins("--") || begins("->")) {
    ahead_.kind = Kind::symbol;
    ahead_.text = text_.substr(at_, 2);
    skip_to(at_ + 2);
  } else if (std::string_view("{}[];,:=").find(letter) != std::string_view::npos) {
    ahead_.kind = Kind::symbol;
    ahead_.text = letter;
    skip_to(at_ + 1);
  } else {
    ahead_.kind = Kind::word;
    ahead_.text = word();
  }
}

/// Returns a name or a number: [-] digits [. digits]. What follows a number without a blank is another word.
std::string DotTokens::word() {
  std::size_t end = at_;
  if (is_dot_letter(text_[end])) {
    while (end < text_.size() && (is_dot_letter(text_[end]) || is_dot_digit(text_[end]))) ++end;
  } else {
    const auto skip_digits = [&] {
      const std::size_t begin = end;
      while (end < text_.size() && is_dot_digit(text_[end])) ++end;
      return end > begin;
    };
    if (text_[end] == '-') ++end;
    bool digits = skip_digits();
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits |= skip_digits();
    }
    if (!digits) refuse(line_, "expected a name, which needs quotes if it has other letters than a-z and _");
  }
  std::string word(text_.substr(at_, end - at_));
  skip_to(end);
  return word;
}

/// Returns the text between quotes. As in Graphviz, \" is a quote, a backslash at the end of a line joins it
/// with the next one, and other backslashes stay.
std::string DotTokens::quoted() {
  const std::size_t line = line_;
  std::string result;
  std::size_t end = at_ + 1;
  for (; end < text_.size() && text_[end] != '"'; ++end) {
    const std::string_view rest = text_.substr(end);
    if (rest.starts_with("\\\"")) {
      result += '"';
      ++end;
    } else if (rest.starts_with("\\\\")) {
      result += "\\\\";
      ++end;
    } else if (rest.starts_with("\\\n")) {
      ++end;
    } else if (rest.starts_with("\\\r\n")) {
      end += 2;
    } else {
      result += text_[end];
    }
  }
  if (end >= text_.size()) refuse(line, "text in quotes begins that does not end");
  skip_to(end + 1);
  return result;
}

std::string DotTokens::html() {
  const std::size_t line = line_;
  std::size_t end = at_;
  std::size_t depth = 0;
  do {
    if (text_.substr(end).starts_with("<!--")) {
      const std::size_t comment = text_.find("-->", end);
      end = comment == text_.npos ? text_.size() : comment + 3;
      continue;
    }
    if (text_[end] == '<') ++depth;
    if (text_[end] == '>') --depth;
    ++end;
  } while (depth > 0 && end < text_.size());
  if (depth > 0) refuse(line, "HTML begins with < and does not end");
  std::string result(text_.substr(at_ + 1, end - at_ - 2));
  skip_to(end);
  return result;
}

}  // namespace hearsay
