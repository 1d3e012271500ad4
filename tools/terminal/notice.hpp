#pragma once

#include <string>

namespace hearsay {

/// Prints a notice of the library (runtime/foundation/notice.hpp) on standard error. On a terminal it takes
/// the place of the line of progress that may stand open there.
void print_notice(const std::string& sentence);

}  // namespace hearsay
