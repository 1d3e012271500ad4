#pragma once

#include <string>

namespace hearsay {

/// What begins a line that takes the place of the one that stands open on a terminal: return, erase to the
/// end.
inline constexpr const char* in_place_of_the_line = "\r\033[K";

/// True if standard error is a terminal that understands these codes: not a file, and not TERM=dumb.
bool lines_can_be_rewritten();

/// News on standard error: on a terminal each text takes the place of the one before it, else each is a line.
class RewrittenLine {
 public:
  void show(const std::string& text);
  /// Removes the text that stands open on a terminal.
  void erase();
  /// Ends the line that stands open on a terminal.
  void finish();

 private:
  bool terminal_ = lines_can_be_rewritten();
  bool open_ = false;
};

}  // namespace hearsay
