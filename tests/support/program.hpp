#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hearsay::test {

/// The program under test, in a process and a process group of its own, its words going to files
/// there. What is left of it
/// when the object goes is killed.
class Program {
 public:
  enum class Output { file, nobody_reads };
  /// `prepare` runs in the new process, in `folder`, before the program takes it over.
  Program(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
          Output output = Output::file, const std::function<void()>& prepare = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t process() const { return process_; }
  /// To the whole group, as a terminal's Ctrl-C.
  void signal_group(int signal) const;

  /// Waits until the condition holds, the process has ended or a minute is over; whether it holds.
  bool wait_until(const std::function<bool()>& condition) const;
  /// Waits for the process to end: its exit code, or -signal.
  int wait();
  /// Waits until nobody is left of the process and its descendants; false after a minute.
  bool everyone_ended() const;

  /// The processes that it started, ascending.
  std::vector<pid_t> children() const;
  std::string said() const;        ///< on standard output
  std::string complained() const;  ///< on standard error

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
  int process_fd_ = -1;
  int lifeline_ = -1;  // a pipe whose other end all of them hold: it ends when they have
  bool reaped_ = false;
};

/// The processes that this one started and that have not been waited for, in the order of their birth.
std::vector<pid_t> children_of(pid_t process);

/// A whole run of the program.
struct ProgramEnd {
  int code;
  std::string said;
  std::string complained;
};
ProgramEnd run_program(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                       const std::function<void()>& prepare = {});

/// To be prepared with: whom no folder is open to by privilege. Nobody, where the test is root.
void become_ordinary_user();

}  // namespace hearsay::test
