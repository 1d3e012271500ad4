#include "tools/terminal/notice.hpp"

#include <cstdio>

#include "runtime/foundation/text_bytes.hpp"
#include "tools/terminal/rewritten_line.hpp"

namespace hearsay {

void print_notice(const std::string& sentence) {
  std::fprintf(stderr, "%shearsay: %s\n", lines_can_be_rewritten() ? in_place_of_the_line : "",
               printable(sentence).c_str());
}

}  // namespace hearsay
