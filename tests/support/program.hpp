#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hearsay::test {

/// The program under test, in a process and a process group of its own. Its standard output and error go to
/// files in the folder. The destructor kills the whole group.
class Program {
 public:
  enum class Output { file, nobody_reads };
  /// Starts the program. `prepare` runs in the new process, in `folder`, before the program replaces it.
  Program(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
          Output output = Output::file, const std::function<void()>& prepare = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t process() const { return process_; }
  /// Sends a signal to the whole group, as Ctrl-C in a terminal does.
  void signal_group(int signal) const;

  /// Waits until the condition holds, the process has ended, or a minute is over. True if the condition
  /// holds.
  bool wait_until(const std::function<bool()>& condition) const;
  /// Waits for the process to end. Returns its exit code, or -signal.
  int wait();
  /// Waits until the process and all its descendants have ended. False after a minute.
  bool everyone_ended() const;

  /// Returns the child processes that have not been reaped, in the order of their start.
  std::vector<pid_t> children() const;
  std::string said() const;        ///< on standard output
  std::string complained() const;  ///< on standard error

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
  int process_fd_ = -1;
  // The reading end of a pipe that all descendants hold open: it ends when they have ended.
  int lifeline_ = -1;
  bool reaped_ = false;
};

/// Returns the child processes of `process` that have not been reaped, in the order of their start.
std::vector<pid_t> children_of(pid_t process);

/// How a whole run of the program ended: exit code, standard output, standard error.
struct ProgramEnd {
  int code;
  std::string said;
  std::string complained;
};
ProgramEnd run_program(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                       const std::function<void()>& prepare = {});

/// For `prepare`: gives up the privileges of root, to which every folder is open. Does nothing for other
/// users.
void become_ordinary_user();

}  // namespace hearsay::test
