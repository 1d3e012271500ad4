#pragma once

#include <exception>

namespace hearsay {

/// Thrown by an objective that wants the run to end everywhere, as Ctrl-C does: the user has asked for it.
class StopAsked : public std::exception {
 public:
  const char* what() const noexcept override { return "the user has asked the run to end"; }
};

}  // namespace hearsay
