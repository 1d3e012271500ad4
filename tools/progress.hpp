#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/outcome.hpp"

namespace hearsay {

/// Tells on standard error how a run gets on: one line that is rewritten where that is a terminal, else a line at most
/// once a second.
class Progress {
 public:
  struct Run {
    PeerId peers;
    std::uint64_t iterations;
    bool has_target;  ///< it may end sooner
    bool virtual_time;
  };
  Progress(bool quiet, std::string title, const Run& run);
  ~Progress() { close(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const Evaluation& evaluation);
  /// Ends the line that was being rewritten.
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  std::string title_;
  Run run_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = started_;
  bool line_open_ = false;
};

}  // namespace hearsay
