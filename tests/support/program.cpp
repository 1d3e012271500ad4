#include "tests/support/program.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

namespace {

namespace fs = std::filesystem;

constexpr int patience_ms = 60'000;
constexpr int look_every_ms = 5;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// True if the descriptor becomes readable within the time.
bool happens(int fd, int milliseconds) {
  pollfd polled{fd, POLLIN, 0};
  return poll(&polled, 1, milliseconds) > 0;
}

void redirect(int fd, const fs::path& file) {
  const int target = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(target, fd);
  close(target);
}

/// Redirects `fd` to a pipe without a reader.
void write_to_nobody(int fd) {
  std::array<int, 2> ends{};
  ensure(pipe(ends.data()) == 0, "a machine has pipes");
  close(ends[0]);
  dup2(ends[1], fd);
  close(ends[1]);
}

}  // namespace

Program::Program(const fs::path& folder, const std::vector<std::string>& arguments, Output output,
                 const std::function<void()>& prepare)
    : folder_(folder) {
  std::array<int, 2> pipe_ends{};
  ensure(pipe(pipe_ends.data()) == 0, "a machine has pipes");
  std::vector<std::string> words = {HEARSAY_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  // A signal that comes before the program is there must not run the handlers of this process in the new one.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  process_ = fork();
  if (process_ != 0) pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ensure(process_ >= 0, "a machine can start another process");
  if (process_ == 0) {
    for (const int number : {SIGINT, SIGTERM}) signal(number, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    setpgid(0, 0);
    close(pipe_ends[0]);  // all descendants keep the writing end
    if (output == Output::file)
      redirect(STDOUT_FILENO, folder_ / "stdout.txt");
    else
      write_to_nobody(STDOUT_FILENO);
    redirect(STDERR_FILENO, folder_ / "stderr.txt");
    // Opened here, before `prepare` may change the user or the root folder.
    const int program = open(argv[0], O_RDONLY | O_CLOEXEC);
    if (chdir(folder_.c_str()) != 0) _exit(127);
    if (prepare) prepare();
    fexecve(program, argv.data(), environ);
    _exit(127);
  }
  setpgid(process_, process_);  // in parent and child, since either may run first
  close(pipe_ends[1]);
  lifeline_ = pipe_ends[0];
  fcntl(lifeline_, F_SETFD, FD_CLOEXEC);
  process_fd_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  ensure(process_fd_ >= 0, "the kernel gives out descriptors of processes");
}

Program::~Program() {
  kill(-process_, SIGKILL);
  if (!reaped_) waitpid(process_, nullptr, 0);
  close(process_fd_);
  close(lifeline_);
}

void Program::signal_group(int signal) const { kill(-process_, signal); }

bool Program::wait_until(const std::function<bool()>& condition) const {
  for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += look_every_ms) {
    if (condition()) return true;
    if (happens(process_fd_, look_every_ms)) return condition();
  }
  return false;
}

int Program::wait() {
  const bool has_ended = happens(process_fd_, patience_ms);
  if (!has_ended) std::cerr << "the program has said so far:\n" << complained();
  ensure(has_ended, "the program ends within a minute");
  int status = 0;
  waitpid(process_, &status, 0);
  reaped_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool Program::everyone_ended() const { return happens(lifeline_, patience_ms); }

std::vector<pid_t> Program::children() const { return children_of(process_); }

/// The kernel lists the children in the order of their start. Their ids do not tell that order, since ids are
/// used again.
std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::istringstream list(content_of(fs::path("/proc") / id / "task" / id / "children"));
  std::vector<pid_t> found;
  for (pid_t child = 0; list >> child;) found.push_back(child);
  return found;
}

std::string Program::said() const { return content_of(folder_ / "stdout.txt"); }
std::string Program::complained() const { return content_of(folder_ / "stderr.txt"); }

ProgramEnd run_program(const fs::path& folder, const std::vector<std::string>& arguments,
                       const std::function<void()>& prepare) {
  Program program(folder, arguments, Program::Output::file, prepare);
  const int code = program.wait();
  return {code, program.said(), program.complained()};
}

void become_ordinary_user() {
  constexpr unsigned nobody = 65534;
  if (geteuid() != 0) return;
  const bool became = setgroups(0, nullptr) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0;
  ensure(became, "root can become anybody");
}

}  // namespace hearsay::test
