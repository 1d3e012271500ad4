#include "tools/terminal/rewritten_line.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace hearsay {

bool lines_can_be_rewritten() {
  if (isatty(STDERR_FILENO) != 1) return false;
  const char* const kind = std::getenv("TERM");
  return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

}  // namespace hearsay
