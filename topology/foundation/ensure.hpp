#pragma once

#include <string_view>

namespace hearsay {

/// Reports a broken invariant (a bug of ours, never the user's input) on standard error and aborts.
[[noreturn]] void fail_ensure(std::string_view what, const char* file, int line);

/// An assertion that is on in every build: aborts through fail_ensure unless `holds`. `what` states the
/// invariant in words. To show values in it, test the condition with an `if` of your own and build the text
/// inside.
/// (The two builtins stand in for std::source_location, which clang 14 lacks.)
inline void ensure(bool holds, std::string_view what, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    fail_ensure(what, file, line);
}

}  // namespace hearsay
