#include "tools/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/human_text.hpp"

namespace hearsay {

namespace {

/// Columns of the terminal; a line longer than that could not be rewritten.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Four digits, in columns.
std::string four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%-#7.4g", value);
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

}  // namespace

Progress::Progress(bool quiet, std::string title, const Run& run)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), title_(std::move(title)), run_(run) {}

void Progress::show(const Evaluation& evaluation) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
  const bool first = terminal_ && !line_open_;
  if (!first && now - shown_ < pause && !(terminal_ && evaluation.iteration == run_.iterations)) return;
  shown_ = now;

  const double elapsed = std::chrono::duration<double>(now - started_).count();
  std::string line = title_.empty() ? "" : title_ + "  ";
  const std::string total = std::to_string(run_.iterations);
  line += right(std::to_string(evaluation.iteration), total.size()) + "/" + total + "  loss " +
          four_digits(evaluation.loss) + "  consensus " + four_digits(evaluation.consensus_distance) + "  " +
          right(megabytes_text(static_cast<double>(evaluation.bytes_sent) / run_.peers), 8) + "/peer  ";
  if (run_.virtual_time) line += "virtual " + right(seconds_text(evaluation.seconds), 7) + "  ";
  line += right(seconds_text(elapsed), 7);
  if (evaluation.iteration > 0 && evaluation.iteration < run_.iterations)
    line += (run_.has_target ? "  ETA at most " : "  ETA ") +
            seconds_text(elapsed * static_cast<double>(run_.iterations - evaluation.iteration) /
                         static_cast<double>(evaluation.iteration));
  if (terminal_) {
    if (line.size() >= terminal_width()) line.resize(terminal_width() - 1);
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    line_open_ = true;
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

void Progress::close() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
}

}  // namespace hearsay
