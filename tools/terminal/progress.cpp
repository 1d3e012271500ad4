#include "tools/terminal/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/foundation/text_bytes.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/log.hpp"
#include "tools/terminal/rewritten_line.hpp"

namespace hearsay {

namespace {

/// Returns the columns of the terminal. A longer line could not be rewritten.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Returns four significant digits, padded to nine columns.
std::string four_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%-#9.4g", value);
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

struct Field {
  std::string text;
  int dispensable = 0;  // the field with the highest number is left out first; 0: never
};

}  // namespace

std::string progress_line(const Evaluation& evaluation, const ProgressRun& run, double elapsed,
                          std::size_t width) {
  const std::string total = std::to_string(run.iterations);
  std::vector<Field> fields = {
      {right(std::to_string(evaluation.iteration), total.size()) + "/" + total},
      {right(fixed(evaluation.epoch, 1), 6) + " passes", 1},
      {right(std::to_string(evaluation.gossip_rounds), total.size() + 2) + " rounds", 2},
      {"loss " + four_digits(evaluation.loss)},
      {"consensus " + four_digits(evaluation.consensus_distance), 5},
      {right(megabytes_text(static_cast<double>(evaluation.bytes_sent) / run.peers), 8) + "/peer"}};
  if (run.virtual_time) fields.push_back({"virtual " + right(seconds_text(evaluation.seconds), 10), 4});
  fields.push_back({right(seconds_text(elapsed), 10), 3});
  if (evaluation.iteration > run.resumed_from && evaluation.iteration < run.iterations)
    fields.push_back({(run.may_end_early ? "ETA at most " : "ETA ") +
                      seconds_text(elapsed * static_cast<double>(run.iterations - evaluation.iteration) /
                                   static_cast<double>(evaluation.iteration - run.resumed_from))});
  for (;;) {
    std::string line;
    for (const Field& field : fields) line += (line.empty() ? "" : "  ") + field.text;
    const auto most = std::ranges::max_element(fields, {}, &Field::dispensable);
    if (line.size() <= width || most->dispensable == 0) return line.substr(0, width);
    fields.erase(most);
  }
}

Progress::Progress(bool quiet, std::string title, const ProgressRun& run)
    : quiet_(quiet), terminal_(lines_can_be_rewritten()), title_(printable(title)), run_(run) {}

void Progress::show(const Evaluation& evaluation) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
  const bool first = terminal_ && !line_open_;
  const bool is_last_seen = evaluation.iteration == run_.iterations && (terminal_ || is_logged());
  if (!first && now - shown_ < pause && !is_last_seen) return;
  shown_ = now;

  const double elapsed = std::chrono::duration<double>(now - started_).count();
  if (is_logged()) return log_evaluation(evaluation, elapsed);
  const std::string title = title_.empty() ? "" : title_ + "  ";
  if (terminal_) {
    const std::size_t room = terminal_width() - 1;
    const std::size_t left = room - std::min(room, title.size());
    std::fprintf(stderr, "%s%s%s", in_place_of_the_line, title.substr(0, room).c_str(),
                 progress_line(evaluation, run_, elapsed, left).c_str());
    std::fflush(stderr);
    line_open_ = true;
  } else {
    std::fprintf(stderr, "%s%s\n", title.c_str(),
                 progress_line(evaluation, run_, elapsed, std::string::npos).c_str());
  }
}

void Progress::log_evaluation(const Evaluation& evaluation, double elapsed) const {
  const std::string loss = significant(evaluation.loss, 6);
  nlohmann::ordered_json details = {{"iteration", evaluation.iteration},
                                    {"iterations", run_.iterations},
                                    {"loss", evaluation.loss},
                                    {"consensus_distance", evaluation.consensus_distance},
                                    {"bytes_sent", evaluation.bytes_sent},
                                    {"seconds", evaluation.seconds},
                                    {"elapsed_seconds", elapsed}};
  if (!title_.empty()) details["run"] = title_;
  log(LogLevel::info,
      (title_.empty() ? "" : title_ + ": ") + "iteration " + std::to_string(evaluation.iteration) + " of " +
          std::to_string(run_.iterations) + ", loss " + loss + ", consensus distance " +
          significant(evaluation.consensus_distance, 4),
      details);
}

void Progress::close() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
}

}  // namespace hearsay
