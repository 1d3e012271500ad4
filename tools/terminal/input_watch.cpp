#include "tools/terminal/input_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include "tools/terminal/exit_code.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

int milliseconds(Duration duration) {
  return static_cast<int>(std::min<std::int64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count(), 1 << 30));
}

}  // namespace

InputWatch::InputWatch(std::atomic<bool>& ask_to_end, std::optional<Duration> silence,
                       EndOfInput end_of_input)
    : ask_to_end_(ask_to_end),
      silence_(silence),
      end_of_input_(end_of_input),
      wake_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { watch(); }) {
  ensure(wake_ >= 0, "a machine has eventfds");
}

InputWatch::~InputWatch() {
  const std::uint64_t one = 1;
  ensure(write(wake_, &one, sizeof one) == sizeof one, "an eventfd takes a number");
  thread_.join();
  close(wake_);
}

void InputWatch::watch() {
  std::array<pollfd, 2> polled{{{wake_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  while (true) {
    const bool hears = polled[1].fd >= 0;
    const int happened = poll(polled.data(), polled.size(), hears && silence_ ? milliseconds(*silence_) : -1);
    if (happened < 0 && errno == EINTR) continue;
    if (polled[0].revents != 0) return;
    std::array<char, 256> beats{};
    const ssize_t length = happened > 0 ? read(STDIN_FILENO, beats.data(), beats.size()) : 0;
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    take({beats.data(), length > 0 ? static_cast<std::size_t>(length) : 0});
    if (told_to_end_) break;
    is_alone_ = length <= 0;
    if (!is_alone_) continue;
    if (end_of_input_ == EndOfInput::ends_the_process) break;
    if (happened > 0) polled[1].fd = -1;  // poll ignores it
  }
  ask_to_end_ = true;
  // The run now ends by itself. If it does not within `grace`, the process ends here, since nobody is left
  // who could end it.
  while (poll(polled.data(), 1, milliseconds(grace)) < 0 && errno == EINTR) {
  }
  if (polled[0].revents == 0) _exit(exit_interrupted);
}

void InputWatch::take(std::string_view bytes) {
  constexpr std::size_t longest_line = 4096;
  for (const char c : bytes) {
    if (c != '\n') {
      if (line_.size() < longest_line) line_ += c;
      continue;
    }
    if (line_ == word_to_end) told_to_end_ = true;
    if (line_.starts_with(word_of_loss)) {
      const std::lock_guard lock(mutex_);
      lost_ = line_.substr(word_of_loss.size());
    }
    if (line_.starts_with(word_of_end)) {
      const std::string_view word = std::string_view(line_).substr(word_of_end.size());
      const std::size_t space = std::min(word.find(' '), word.size());
      EndedPeer peer;
      const char* const end = word.data() + space;
      if (const auto read = std::from_chars(word.data(), end, peer.id);
          read.ec == std::errc() && read.ptr == end) {
        peer.how = word.substr(std::min(space + 1, word.size()));
        const std::lock_guard lock(mutex_);
        ended_.push_back(std::move(peer));
      }
    }
    line_.clear();
  }
}

std::optional<EndedPeer> InputWatch::take_ended_peer() {
  const std::lock_guard lock(mutex_);
  if (ended_.empty()) return std::nullopt;
  EndedPeer peer = std::move(ended_.front());
  ended_.pop_front();
  return peer;
}

std::optional<std::string> InputWatch::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace hearsay
