#pragma once

#include <cstdio>
#include <string>

namespace hearsay {

/// Prints a notice of the library (runtime/foundation/notice.hpp) on standard error.
inline void print_notice(const std::string& sentence) {
  std::fprintf(stderr, "hearsay: %s\n", sentence.c_str());
}

}  // namespace hearsay
