#pragma once

#include <string>

namespace hearsay {

/// Prints a sentence, such as a notice of the library (runtime/foundation/notice.hpp), on standard error. On
/// a terminal it takes the place of the line of progress that may stand open there. Control characters, which
/// files and names may hold, are spelled out: a terminal would obey them. With --log it is a line of the log;
/// "warning: " at its beginning is its level then.
void print_notice(const std::string& sentence);

/// The same of what ends the command with another exit code than 0.
void print_error(const std::string& sentence);

}  // namespace hearsay
