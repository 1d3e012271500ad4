#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// What is known of a run before it starts.
struct ProgressRun {
  PeerId peers;
  std::uint64_t iterations;
  bool has_target;  ///< it may end sooner
  bool virtual_time;
  std::uint64_t resumed_from = 0;  ///< the iterations that an earlier process did
};

/// " 200/6000     1.6 passes     200 rounds  loss 0.3338  ...", after `elapsed` real seconds, in columns that
/// stay where they are. Where that takes more than `width` characters, what is least missed is left out.
std::string progress_line(const Evaluation& evaluation, const ProgressRun& run, double elapsed,
                          std::size_t width);

/// Tells on standard error how a run gets on: one line that is rewritten where that is a terminal, else a
/// line at most once a second.
class Progress {
 public:
  Progress(bool quiet, std::string title, const ProgressRun& run);
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
  ProgressRun run_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = started_;
  bool line_open_ = false;
};

}  // namespace hearsay
