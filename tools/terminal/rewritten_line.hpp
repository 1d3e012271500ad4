#pragma once

namespace hearsay {

/// What begins a line that takes the place of the one that stands open on a terminal: return, erase to the
/// end.
inline constexpr const char* in_place_of_the_line = "\r\033[K";

/// True if standard error is a terminal that understands these codes: not a file, and not TERM=dumb.
bool lines_can_be_rewritten();

}  // namespace hearsay
