#include "tools/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "tools/human_text.hpp"

namespace hearsay {

namespace {

/// Columns of the terminal; a line longer than that could not be rewritten.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(bool quiet, std::string title, PeerId peers, std::uint64_t iterations, bool virtual_time)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      title_(std::move(title)),
      peers_(peers),
      iterations_(iterations),
      virtual_time_(virtual_time) {}

void Progress::show(const Evaluation& evaluation) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
  const bool first = terminal_ && !line_open_;
  if (!first && now - shown_ < pause && !(terminal_ && evaluation.iteration == iterations_)) return;
  shown_ = now;

  const double elapsed = std::chrono::duration<double>(now - started_).count();
  std::string line = title_.empty() ? "" : title_ + "  ";
  const std::string total = std::to_string(iterations_);
  std::string done = std::to_string(evaluation.iteration);
  done.insert(0, total.size() - std::min(total.size(), done.size()), ' ');
  line += done + "/" + total + "  loss " + significant(evaluation.loss) + "  consensus " +
          significant(evaluation.consensus_distance, 3) + "  " +
          megabytes_text(static_cast<double>(evaluation.bytes_sent) / peers_) + "/peer  ";
  if (virtual_time_) line += "virtual " + seconds_text(evaluation.seconds) + "  ";
  line += seconds_text(elapsed);
  if (evaluation.iteration > 0 && evaluation.iteration < iterations_)
    line += "  ETA " + seconds_text(elapsed * static_cast<double>(iterations_ - evaluation.iteration) /
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
