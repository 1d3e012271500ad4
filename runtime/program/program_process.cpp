#include "runtime/program/program_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "runtime/program/program_groups.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// The descriptor of the socket in the program.
constexpr int channel_in_program = 3;
/// A shell ends with this and the signal that has killed its command.
constexpr int shell_says_killed = 128;

/// A process as /proc/PID/stat has it.
struct ProcessStat {
  std::string state;
  pid_t group = -1;
  int exit_code = 0;  // as of waitpid, once it has ended
};

/// Empty if there is no such process.
std::optional<ProcessStat> stat_of(const fs::path& folder_in_proc) {
  std::ifstream file(folder_in_proc / "stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // the name of the program may hold spaces
  if (name_end == text.npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));  // from the third on
  const std::vector<std::string> values{std::istream_iterator<std::string>(fields), {}};
  constexpr std::size_t state = 0, group = 2, exit_code = 49;
  if (values.size() <= exit_code) return std::nullopt;
  return ProcessStat{values[state], std::stoi(values[group]), std::stoi(values[exit_code])};
}

/// Returns the status of a process that has ended, and for which its parent has not waited yet; empty if
/// there is no such process. Only the parent may wait for it, but each process of the user may look at it.
std::optional<int> status_of_zombie(pid_t process) {
  const auto stat = stat_of("/proc/" + std::to_string(process));
  if (!stat || stat->state != "Z") return std::nullopt;
  return stat->exit_code;
}

int pidfd_of(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

/// Waits until all processes of a group have ended. Each has been killed, and frees its memory, its ports and
/// its devices before it ends.
void await_killed_group(pid_t group, KilledPatience& patience) {
  if (kill(-group, 0) != 0) return;  // nearly always: nobody is left
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (!std::ranges::all_of(name, [](unsigned char letter) { return std::isdigit(letter) != 0; })) continue;
    if (const auto stat = stat_of(entry.path()); !stat || stat->group != group) continue;
    const FileDescriptor watch(pidfd_of(std::stoi(name)));
    pollfd polled{watch.number(), POLLIN, 0};
    // One that does not end uses it up.
    if (watch && poll(&polled, 1, static_cast<int>(patience.left.count())) == 0)
      patience.left = std::chrono::milliseconds(0);
  }
}

/// Returns the folder with hearsay's Python package, for this program as it was built or installed; empty if
/// it lies where Python looks by itself, or nowhere.
std::string python_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const folder : {"../tools/python", "../share/hearsay/python"}) {
    const fs::path candidate = (program / folder).lexically_normal();
    if (fs::exists(candidate / "hearsay/__init__.py", error)) return candidate.string();
  }
  return {};
}

/// Returns the environment of the program as "NAME=value".
std::vector<std::string> environment_of(const ProgramCommand& command) {
  std::vector<std::string> environment;
  bool has_threads = false;
  std::string python_path;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (name == "HEARSAY_CHANNEL" || name == "HEARSAY_ID" || name == "HEARSAY_PEERS") continue;
    if (name == "PYTHONPATH") {
      python_path = text.substr(std::min(text.size(), name.size() + 1));
      continue;
    }
    has_threads = has_threads || name == "OMP_NUM_THREADS";
    environment.emplace_back(text);
  }
  if (const std::string package = python_folder(); !package.empty())
    python_path += (python_path.empty() ? "" : ":") + package;
  if (!python_path.empty()) environment.push_back("PYTHONPATH=" + python_path);
  if (!has_threads) environment.emplace_back("OMP_NUM_THREADS=1");
  environment.push_back("HEARSAY_CHANNEL=" + std::to_string(channel_in_program));
  environment.push_back("HEARSAY_ID=" + std::to_string(command.peer));
  environment.push_back("HEARSAY_PEERS=" + std::to_string(command.peers));
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What the child does after the fork. Other threads of the parent may have held any lock, so it calls
/// nothing that is not async-signal-safe. Returns only if the program cannot be started; errno then says why.
struct Start {
  char* const* words;
  char* const* environment;
  const char* directory;
  int channel;
  int output;
  int input;
  pid_t parent;
  int failure;  // where the errno of a failed start goes
  int word;     // comes once the parent has noted the group of the child, and ends with the parent
  int word_end;

  void become_program() const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(3);  // the parent ended before prctl
    // What it forks is ended with it, so it forks nothing before its parent knows of its group.
    close(word_end);
    if (char noted = 0; read(word, &noted, 1) != 1) _exit(3);
    for (const int number : {SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGXFSZ, SIGCHLD}) ::signal(number, SIG_DFL);
    ::signal(SIGINT, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    // Descriptors that are to stay are first moved out of the way of 3, then all others are closed.
    const int kept = fcntl(failure, F_DUPFD_CLOEXEC, 10);
    const int socket = fcntl(channel, F_DUPFD, 10);
    if (chdir(directory) == 0 && kept >= 0 && dup2(input, 0) == 0 &&
        (output < 0 || (dup2(output, 1) == 1 && dup2(output, 2) == 2)) &&
        dup2(socket, channel_in_program) == channel_in_program) {
      for (int other = channel_in_program + 1; other < kept; ++other) close(other);
      close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
      if (socket < kept) close(socket);
      execvpe(words[0], words, environment);
    }
    const int error = errno;
    if (write(kept < 0 ? failure : kept, &error, sizeof error) < 0) _exit(3);
    _exit(3);
  }
};

}  // namespace

ProgramProcess::Started ProgramProcess::start(const ProgramCommand& command) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_of(command);
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(environment);
  const std::string directory = command.directory.empty() ? "." : command.directory.string();
  const auto refuse = [&](int error) {
    const bool no_folder = !fs::is_directory(directory);
    throw HostRefusal("model.program", toml_list(command.words),
                      "the program of peer " + std::to_string(command.peer) + " cannot be started in " +
                          directory + ": " + (no_folder ? "there is no such folder" : std::strerror(error)));
  };
  std::array<int, 2> ends{};
  std::array<int, 2> failure{};
  std::array<int, 2> word{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse(errno);
  Started started{{}, FileDescriptor(ends[0])};
  const FileDescriptor theirs(ends[1]);
  if (pipe2(failure.data(), O_CLOEXEC) != 0) refuse(errno);
  const FileDescriptor failed(failure[0]);
  FileDescriptor fails(failure[1]);
  if (pipe2(word.data(), O_CLOEXEC) != 0) refuse(errno);
  const FileDescriptor word_comes(word[0]);
  const FileDescriptor word_goes(word[1]);
  const FileDescriptor nothing("/dev/null", O_RDONLY);
  const Start start{argv.data(),         envp.data(),       directory.c_str(), theirs.number(),
                    command.output,      nothing.number(),  getpid(),          fails.number(),
                    word_comes.number(), word_goes.number()};
  // Until it is another program, the child has the signal handlers of this process: what ends it has to wait.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t process = fork();
  const int reason = errno;
  if (process == 0) start.become_program();
  if (process > 0) {
    setpgid(process, process);
    note_program_group(process);
    if (write(word_goes.number(), "n", 1) != 1) kill(process, SIGKILL);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process < 0) refuse(reason);
  started.process.process_ = process;
  started.process.parent_ = start.parent;
  started.process.watch_ = FileDescriptor(pidfd_of(process));
  fails.close();
  int error = 0;
  if (read(failed.number(), &error, sizeof error) == sizeof error) {
    forget_program_group(process);
    waitpid(process, nullptr, 0);
    refuse(error);
  }
  return started;
}

bool ProgramProcess::is_gone(int patience_ms) const {
  pollfd polled{watch_.number(), POLLIN, 0};
  return ended_ || poll(&polled, 1, patience_ms) > 0;
}

bool ProgramProcess::has_ended(int patience_ms, KilledPatience& with_killed) {
  if (ended_) return true;
  if (!is_gone(patience_ms)) return false;
  signal(SIGKILL);  // what it has forked; the number of its group is its own until waitpid
  forget_program_group(process_);
  int status = 0;
  if (getpid() != parent_)
    status_ = status_of_zombie(process_);
  else if (waitpid(process_, &status, 0) == process_)
    status_ = status;
  await_killed_group(process_, with_killed);
  return ended_ = true;
}

std::string ProgramProcess::how() const {
  if (!status_) return {};
  if (!WIFSIGNALED(*status_)) return "with exit code " + std::to_string(WEXITSTATUS(*status_));
  const int number = WTERMSIG(*status_);
  return "by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

bool ProgramProcess::ended_by_itself() const {
  if (!status_) return false;
  if (WIFSIGNALED(*status_)) return WTERMSIG(*status_) == SIGABRT;
  const int code = WEXITSTATUS(*status_);
  return code != shell_says_killed + SIGKILL && code != shell_says_killed + SIGTERM;
}

void ProgramProcess::signal(int number) const {
  // By its descriptor: to others than its parent the number may mean another process by now. A kernel older
  // than 6.9 cannot signal a group so.
  if (ended_) return;
  constexpr unsigned to_its_group = 1U << 2;
  if (syscall(SYS_pidfd_send_signal, watch_.number(), number, nullptr, to_its_group) != 0 && errno == EINVAL)
    kill(-process_, number);
}

}  // namespace hearsay
