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
  bool may_end_early;  ///< before its last iteration
  bool virtual_time;
  std::uint64_t resumed_from = 0;  ///< iterations that an earlier process did
};

/// Returns a line like " 200/6000 1.6 passes 200 rounds loss 0.3338 ...", with columns that keep their
/// places. `elapsed` is in real seconds. A line longer than `width` characters loses its least important
/// fields.
std::string progress_line(const Evaluation& evaluation, const ProgressRun& run, double elapsed,
                          std::size_t width);

/// Tells the progress of a run on standard error. On a terminal one line is rewritten, else a line is printed
/// at most once a second; with --log it is a line of the log.
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

  void log_evaluation(const Evaluation& evaluation, double elapsed) const;

  bool quiet_;
  bool terminal_;
  std::string title_;
  ProgressRun run_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = started_;
  bool line_open_ = false;
};

}  // namespace hearsay
