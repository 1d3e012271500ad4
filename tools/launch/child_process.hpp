#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// A program started in a process group of its own, so that a terminal's Ctrl-C does not reach it, with pipes
/// for its standard input, output and error that nothing here ever waits for. When the object goes, or this
/// process, its input ends; what is then still left of it is killed by the destructor.
class ChildProcess {
 public:
  /// `words` are the program, looked for in PATH, and its arguments. Misuse where it cannot be started.
  ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& directory,
               std::string input);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Adds to what it is still to be told.
  void tell(std::string_view text);
  /// Its input ends, at once: what it has not been told yet it never hears.
  void end_input();
  bool input_ended() const { return input_ < 0; }
  bool has_untold() const { return told_ < untold_.size(); }
  void kill();

  /// What there is to wait for; `look` then takes what has come.
  void add_to(std::vector<pollfd>& polled) const;
  struct Listener {
    std::function<void(std::string_view)> output;
    std::function<void(std::string_view)> error;
  };
  void look(const Listener& listener);

  bool ended() const { return code_.has_value(); }
  /// As a shell counts: 128 + signal where a signal killed it.
  int code() const { return *code_; }

 private:
  void write_input();
  static void read_from(int& pipe_end, const std::function<void(std::string_view)>& listener);

  pid_t process_ = -1;
  int process_fd_ = -1;
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;
  std::string untold_;
  std::size_t told_ = 0;
  std::optional<int> code_;
};

}  // namespace hearsay
