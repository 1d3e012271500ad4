#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// A program in a process group of its own, so that Ctrl-C of a terminal does not reach it. Pipes hold its
/// standard input, output and error; no call waits for them. Its input ends with this object or this process.
/// The destructor kills the program if it still runs.
class ChildProcess {
 public:
  /// Starts a program. `words` are its name, looked for in PATH, and its arguments; `input` is the beginning
  /// of its standard input. Throws Misuse if the program cannot be started.
  ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& directory,
               std::string input);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Appends `text` to the standard input of the program. Does nothing if the input has ended.
  void tell(std::string_view text);
  /// Closes the standard input at once. Text that the pipe has not taken yet is lost.
  void end_input();
  bool input_ended() const { return input_ < 0; }
  bool has_unwritten() const { return written_ < unwritten_.size(); }
  void kill();

  /// Adds the descriptors to wait for; `look` then takes what has arrived.
  void add_to(std::vector<pollfd>& polled) const;
  struct Listener {
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> error;
  };
  void look(const Listener& listener);

  bool ended() const { return code_.has_value(); }
  /// The exit code, as a shell counts: 128 + signal if a signal killed the program. Only after `ended()`.
  int code() const { return *code_; }

 private:
  void write_input();
  static void read_from(int& pipe_end, const std::function<void(std::string_view)>& listener);

  pid_t process_ = -1;
  int process_fd_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;
  std::string unwritten_;
  std::size_t written_ = 0;
  std::optional<int> code_;
};

}  // namespace hearsay
