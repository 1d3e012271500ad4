#include "runtime/program/prefixed_lines.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

namespace {

constexpr std::size_t longest_line = 8192;
constexpr unsigned seconds_after_the_end = 1;
constexpr int writing_patience_ms = 1200;  // longer, so that the copier is seen to end

struct Source {
  FileDescriptor pipe;
  std::string prefix;
  std::string line = {};  // its beginning, until the rest comes

  void print() {
    write_all(STDERR_FILENO, prefix + line + "\n");
    line.clear();
  }
  /// Takes in what has come. False at the end of the pipe.
  bool take() {
    std::array<char, 4096> room{};
    const ssize_t length = read(pipe.number(), room.data(), room.size());
    if (length < 0 && errno == EINTR) return true;
    if (length <= 0) {
      if (!line.empty()) print();
      return false;
    }
    for (const char c : std::string_view(room.data(), static_cast<std::size_t>(length))) {
      if (c == '\n' || line.size() == longest_line) print();
      if (c != '\n' && c != '\r') line += c;
    }
    return true;
  }
};

/// Copies until all pipes have ended, but no longer than a second after the end of `life`: what a program has
/// forked may keep its pipe for ever.
void copy_lines(std::vector<Source> sources, int life) {
  bool lives = true;
  while (!sources.empty()) {
    std::vector<pollfd> polled;
    for (const Source& source : sources) polled.push_back({source.pipe.number(), POLLIN, 0});
    polled.push_back({lives ? life : -1, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled.back().revents != 0) {
      lives = false;
      signal(SIGALRM, SIG_DFL);  // ends this process
      alarm(seconds_after_the_end);
    }
    for (std::size_t k = sources.size(); k-- > 0;)
      if (polled[k].revents != 0 && !sources[k].take())
        sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

HostRefusal out_of(const char* what) {
  return HostRefusal("this machine gives out no more " + std::string(what) +
                     " for the programs of model.program (" + std::strerror(errno) + ")");
}

}  // namespace

PrefixedLines::PrefixedLines(const std::vector<std::string>& prefixes) : owner_(getpid()) {
  std::vector<Source> sources;
  for (const std::string& prefix : prefixes) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw out_of("pipes");
    sources.push_back({FileDescriptor(ends[0]), prefix});
    pipes_.emplace_back(ends[1]);
  }
  std::array<int, 2> life{};
  if (pipe2(life.data(), O_CLOEXEC) != 0) throw out_of("pipes");
  const FileDescriptor end_of_life(life[0]);
  life_ = FileDescriptor(life[1]);
  copier_ = fork();
  if (copier_ < 0) throw out_of("processes");
  if (copier_ == 0) {
    pipes_.clear();
    life_.close();
    close(STDOUT_FILENO);  // whoever reads the record must not wait for the lines of programs
    // The last lines are those of programs that end because of a signal to the whole group.
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    copy_lines(std::move(sources), end_of_life.number());
    _exit(0);
  }
  watch_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, copier_, 0)));
}

PrefixedLines::~PrefixedLines() {
  if (getpid() != owner_) return;
  pipes_.clear();
  life_.close();
  pollfd polled{watch_.number(), POLLIN, 0};
  if (poll(&polled, 1, writing_patience_ms) > 0) waitpid(copier_, nullptr, 0);
}

}  // namespace hearsay
