#include "tools/terminal/notice.hpp"

#include <cstdio>
#include <string_view>

#include "runtime/foundation/text_bytes.hpp"
#include "tools/terminal/log.hpp"
#include "tools/terminal/rewritten_line.hpp"

namespace hearsay {

namespace {

constexpr std::string_view warning_mark = "warning: ";

void print(const std::string& sentence) {
  std::fprintf(stderr, "%shearsay: %s\n", lines_can_be_rewritten() ? in_place_of_the_line : "",
               printable(sentence).c_str());
}

/// True if the sentence is a warning: it begins so, perhaps behind the title of a run.
bool is_warning_at(const std::string& sentence, std::size_t at) {
  return at == 0 || (at != sentence.npos && at >= 2 && sentence.compare(at - 2, 2, ": ") == 0);
}

}  // namespace

void print_notice(const std::string& sentence) {
  if (!is_logged()) return print(sentence);
  const std::size_t at = sentence.find(warning_mark);
  if (!is_warning_at(sentence, at)) return log(LogLevel::info, sentence);
  log(LogLevel::warning, sentence.substr(0, at) + sentence.substr(at + warning_mark.size()));
}

void print_error(const std::string& sentence) {
  if (!is_logged()) return print(sentence);
  log(LogLevel::error, sentence);
}

}  // namespace hearsay
