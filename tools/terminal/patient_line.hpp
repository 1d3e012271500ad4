#pragma once

#include <chrono>
#include <string>

#include "tools/terminal/rewritten_line.hpp"

namespace hearsay {

/// Tells of work that takes long: after two seconds of silence, then once a second.
class PatientLine {
 public:
  explicit PatientLine(bool quiet = false) : quiet_(quiet) {}

  void show(const std::string& text) {
    const Clock::time_point now = Clock::now();
    if (quiet_ || now < next_) return;
    next_ = now + std::chrono::seconds(1);
    line_.show(text);
  }
  void close() { line_.erase(); }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  RewrittenLine line_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(2);
};

}  // namespace hearsay
