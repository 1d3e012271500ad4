#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// How a forked process ended: exit code and text.
struct Ended {
  int exit_code;
  std::string text;
};

/// Returns the number of threads of this process, without the one of ThreadSanitizer.
inline std::ptrdiff_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  const std::ptrdiff_t all = std::distance(begin(tasks), end(tasks));
#ifdef __SANITIZE_THREAD__
  return std::max<std::ptrdiff_t>(all - 1, 1);  // the sanitizer has no thread until instrumented code ran
#else
  return all;
#endif
}

/// Runs `main`, which returns an Ended, in a forked process. The parent must have no other thread and no
/// ZeroMQ context: a lock that another thread holds, such as that of the allocator, would stay locked in the
/// child for ever.
class Process {
 public:
  template <class Main>
  explicit Process(const Main& main) {
    ensure(thread_count() == 1, "a process forks while it has no other thread");
    ensure(pipe(pipe_.data()) == 0, "a machine has pipes");
    std::fflush(nullptr);  // else both processes would print what is in the buffers
    pid_ = fork();
    ensure(pid_ >= 0, "a machine can start another process");
    if (pid_ == 0) {
      const Ended ended = main();
      [[maybe_unused]] const auto written = write(pipe_[1], ended.text.data(), ended.text.size());
      _exit(ended.exit_code);
    }
    close(pipe_[1]);
  }

  pid_t pid() const { return pid_; }

  Ended join() const {
    Ended ended{-1, std::string(4096, '\0')};
    const ssize_t length = read(pipe_[0], ended.text.data(), ended.text.size());
    ended.text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    int status = 0;
    waitpid(pid_, &status, 0);
    if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
    close(pipe_[0]);
    return ended;
  }

 private:
  std::array<int, 2> pipe_{};
  pid_t pid_ = -1;
};

/// Returns a port of loopback on which no process listens, and which no other test gets while this process
/// lives. The kernel does not give it to outgoing connections either, whose ports are above 32,767.
inline std::string free_address() {
  constexpr int first = 20'000, count = 12'000;
  static int next = getpid() % count;
  for (int tried = 0; tried < count; ++tried) {
    const int port = first + next++ % count;
    sockaddr_un claim{};
    claim.sun_family = AF_UNIX;  // a name that begins with a zero is in no folder, and goes with the process
    const std::string name = "hearsay test port " + std::to_string(port);
    std::copy(name.begin(), name.end(), claim.sun_path + 1);
    const int claimed = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool free = bind(claimed, reinterpret_cast<sockaddr*>(&claim), sizeof claim) == 0 &&
                      bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    if (free) return "tcp://127.0.0.1:" + std::to_string(port);  // `claimed` stays open
    close(claimed);
  }
  ensure(false, "loopback has a free port");
  return {};
}

}  // namespace hearsay::test
