#include "tools/terminal/rewritten_line.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tools/terminal/log.hpp"

namespace hearsay {

bool lines_can_be_rewritten() {
  if (is_logged()) return false;
  if (isatty(STDERR_FILENO) != 1) return false;
  const char* const kind = std::getenv("TERM");
  return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

void RewrittenLine::show(const std::string& text) {
  if (is_logged()) return log(LogLevel::info, text);
  std::fprintf(stderr, "%s%s%s", terminal_ ? in_place_of_the_line : "", text.c_str(), terminal_ ? "" : "\n");
  std::fflush(stderr);
  open_ = terminal_;
}

void RewrittenLine::erase() {
  if (std::exchange(open_, false)) std::fputs(in_place_of_the_line, stderr);
}

void RewrittenLine::finish() {
  if (std::exchange(open_, false)) std::fputc('\n', stderr);
}

}  // namespace hearsay
