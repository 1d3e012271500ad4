#include "tools/input_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "tools/commands.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

namespace {

int milliseconds(Duration duration) {
  return static_cast<int>(std::min<std::int64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(duration).count(), 1 << 30));
}

}  // namespace

InputWatch::InputWatch(std::atomic<bool>& ask_to_end, std::optional<Duration> silence)
    : ask_to_end_(ask_to_end),
      silence_(silence),
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
    const int happened = poll(polled.data(), polled.size(), silence_ ? milliseconds(*silence_) : -1);
    if (happened < 0 && errno == EINTR) continue;
    if (polled[0].revents != 0) return;
    if (happened <= 0) break;
    std::array<char, 256> beats{};
    const ssize_t length = read(STDIN_FILENO, beats.data(), beats.size());
    if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN)) break;
  }
  ask_to_end_ = true;
  // The rest belongs to the run; what does not end is ended, for nobody is left who could.
  while (poll(polled.data(), 1, milliseconds(grace)) < 0 && errno == EINTR) {
  }
  if (polled[0].revents == 0) _exit(exit_interrupted);
}

}  // namespace hearsay
