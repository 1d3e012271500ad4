#include "tools/report/live_sweep_page.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/record/summary.hpp"
#include "tools/report/http_server.hpp"
#include "tools/report/open_page.hpp"
#include "tools/report/page.hpp"
#include "tools/report/report_data.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr char word_of_end = 'e';
constexpr int low_priority = 10;
/// Reading the whole output again must not take more than this share of the time.
constexpr int pause_per_reading = 10;
constexpr std::streamoff longest_line_bytes = 4096;

/// Tells one content of a file from the next.
using FileMark = std::pair<fs::file_time_type, std::uintmax_t>;

FileMark mark_of(const fs::path& file) {
  std::error_code ignored;
  const auto time = fs::last_write_time(file, ignored);
  if (ignored) return {};
  return {time, fs::file_size(file, ignored)};
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

/// Returns the last evaluation in metrics.jsonl; null if there is none.
Json last_evaluation(const fs::path& folder) {
  std::ifstream file(folder / "metrics.jsonl", std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? std::streamoff(file.tellg()) : 0;
  file.seekg(std::max<std::streamoff>(0, bytes - longest_line_bytes));
  Json last = nullptr;
  for (std::string line; std::getline(file, line);)
    if (Json evaluation = Json::parse(line, nullptr, false);
        evaluation.is_object() && evaluation.contains("iteration") && evaluation.contains("loss"))
      last = std::move(evaluation);
  return last;
}

/// The sweep as its output says it is now.
class SweepNow {
 public:
  SweepNow(fs::path output, std::vector<LiveSweepPoint> points, bool goes_on)
      : output_(std::move(output)), points_(std::move(points)) {
    const fs::path record = output_ / "sweep.json";
    if (goes_on)
      kept_ = tried_points();
    else
      mark_ = mark_of(record);  // of an earlier sweep, which is about to be replaced
  }

  /// The sweep has ended.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    mark_ = {};
  }

  /// Returns what the page shows. Called by the thread of the server only.
  Json data() {
    const std::lock_guard lock(mutex_);
    const fs::path record = output_ / "sweep.json";
    const Clock::time_point now = Clock::now();
    if (const FileMark mark = mark_of(record);
        mark != mark_ && (ended_ || now - read_ >= pause_per_reading * reading_took_)) {
      mark_ = mark;
      read_again();
      reading_took_ = Clock::now() - now;
      read_ = Clock::now();
      ++version_;
    }
    Json data = shown_;
    data["live"] = true;
    data["ended"] = ended_;
    data["version"] = version_ + (ended_ ? 1 : 0);
    data["progress"] = progress();
    return data;
  }

 private:
  std::size_t tried_points() const {
    try {
      const Json record = read_record(output_ / "sweep.json");
      const auto points = record.find("points");
      return points != record.end() && points->is_array() ? points->size() : 0;
    } catch (const Misuse&) {  // not written yet
      return 0;
    }
  }

  void read_again() {
    tried_ = tried_points();
    try {
      shown_ = report_data({output_}).json();
    } catch (const Misuse&) {  // no point has been tried yet
    }
  }

  Json progress() {
    const double elapsed = std::chrono::duration<double>(Clock::now() - began_).count();
    Json progress = {{"of", "points"},     {"done", tried_},  {"in_total", points_.size()},
                     {"elapsed", elapsed}, {"left", nullptr}, {"to_target", nullptr}};
    if (tried_ > kept_)
      progress["left"] = elapsed * static_cast<double>(points_.size() - std::min(points_.size(), tried_)) /
                         static_cast<double>(tried_ - kept_);
    if (const std::string now = ended_ ? "" : what_goes_on(); !now.empty()) progress["now"] = now;
    return progress;
  }

  /// "DCD 4 bit: iteration 55 of 300, loss 0.93": the points that are being trained, a few of them.
  std::string what_goes_on() {
    constexpr int most_told = 4;
    std::string text;
    int told = 0;
    for (const LiveSweepPoint& point : points_) {
      if (finished_.contains(point.folder) || !is_there(point.folder / "metrics.jsonl")) continue;
      if (is_there(point.folder / "summary.json")) {
        finished_.insert(point.folder);
        continue;
      }
      const Json last = last_evaluation(point.folder);
      if (!last.is_object() || told++ == most_told) continue;
      text += (text.empty() ? "" : "; ") + point.label + ": iteration " + last["iteration"].dump() +
              (point.iterations ? " of " + std::to_string(*point.iterations) : "") + ", loss " +
              short_number(last["loss"]).dump();
    }
    return text;
  }

  const fs::path output_;
  const std::vector<LiveSweepPoint> points_;
  const Clock::time_point began_ = Clock::now();
  std::size_t kept_ = 0;

  std::mutex mutex_;  // over the rest
  bool ended_ = false;
  FileMark mark_ = {};  // of the sweep.json that is shown
  std::size_t tried_ = 0;
  Json shown_ = ReportData(output_.filename().string()).json();
  std::uint64_t version_ = 0;
  Clock::time_point read_ = {};
  Clock::duration reading_took_{0};
  std::set<fs::path> finished_;
};

/// Writes the port, or a sentence about why there is none, to `parent`. Serves until the end has been shown,
/// or the other end of `parent` is closed.
void serve(int parent, SweepNow& sweep, std::uint16_t port, const std::string& library,
           const Notice& notice) {
  OpenPage open_page;
  std::optional<HttpServer> server;
  try {
    server.emplace(HttpPlace{.port = port},
                   std::vector<ServedFile>{{"/", "text/html; charset=utf-8",
                                            [&] { return page(PageKind::live, sweep.data(), library); }},
                                           {"/data.json", "application/json", [&] {
                                              const Json data = sweep.data();
                                              open_page.note_answer(data["ended"]);
                                              return json_text(data);
                                            }}});
  } catch (const Misuse& misuse) {
    write_all(parent, std::string("!") + misuse.what() + "\n");
    return;
  }
  write_all(parent, std::to_string(server->port()) + "\n");
  char word = 0;
  ssize_t length = 0;
  while ((length = read(parent, &word, 1)) < 0 && errno == EINTR) {
  }
  if (length <= 0 || word != word_of_end) return;
  sweep.end();
  open_page.wait_until_told(notice);
}

std::string read_line(int file) {
  std::string line;
  for (char c = 0;;) {
    const ssize_t length = read(file, &c, 1);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0 || c == '\n') return line;
    line += c;
  }
}

}  // namespace

LiveSweepPage::LiveSweepPage(const fs::path& output, std::vector<LiveSweepPoint> points, bool goes_on,
                             std::uint16_t port, const Notice& notice) {
  const std::string library = chart_library();
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Misuse("--live", std::to_string(port), std::string("no page is served: ") + std::strerror(errno));
  server_ = fork();
  if (server_ == 0) {
    close(ends[0]);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);  // it ends with its parent
    if (const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0) {
      dup2(nothing, STDIN_FILENO);
      dup2(nothing, STDOUT_FILENO);  // whoever reads the table waits for its end
    }
    setpriority(PRIO_PROCESS, 0, low_priority);
    SweepNow sweep(output, std::move(points), goes_on);
    serve(ends[1], sweep, port, library, notice);
    _exit(0);
  }
  close(ends[1]);
  to_server_ = ends[0];
  const std::string answer = server_ < 0 ? "!" + std::string(std::strerror(errno)) : read_line(to_server_);
  if (answer.empty() || answer.front() == '!') {
    close_and_wait();
    throw Misuse(answer.empty() ? "--live: the process that serves the page has ended" : answer.substr(1));
  }
  notice("live at http://127.0.0.1:" + answer + "/ until the sweep ends");
}

void LiveSweepPage::end() {
  write_all(to_server_, std::string_view(&word_of_end, 1));
  if (server_ > 0) waitpid(std::exchange(server_, -1), nullptr, 0);
}

void LiveSweepPage::close_and_wait() {
  if (to_server_ >= 0) close(std::exchange(to_server_, -1));
  if (server_ > 0) waitpid(std::exchange(server_, -1), nullptr, 0);
}

LiveSweepPage::~LiveSweepPage() { close_and_wait(); }

}  // namespace hearsay
