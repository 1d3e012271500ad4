#include "tools/child/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

struct Pipe {
  int reader = -1;
  int writer = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Misuse(std::string("this machine gives out no more pipes: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

void never_wait(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

void close_once(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

/// Gives a new program a process group of its own, and the default disposition of every signal that hearsay
/// handles or ignores.
void set_up(posix_spawnattr_t& attributes) {
  sigset_t defaults;
  sigset_t blocked;
  sigemptyset(&defaults);
  sigemptyset(&blocked);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&defaults, signal);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& directory,
                           std::string input)
    : unwritten_(std::move(input)) {
  const Pipe in = make_pipe();
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawn_file_actions_adddup2(&actions, in.reader, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.writer, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writer, STDERR_FILENO);
  posix_spawnattr_t attributes;
  set_up(attributes);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int error = posix_spawnp(&process_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (const int theirs : {in.reader, out.writer, err.writer}) close(theirs);
  input_ = in.writer;
  output_ = out.reader;
  error_ = err.reader;
  if (error != 0) {
    for (int* const ours : {&input_, &output_, &error_}) close_once(*ours);
    throw Misuse("cannot start " + words.front() + ": " + std::strerror(error));
  }
  for (const int ours : {input_, output_, error_}) never_wait(ours);
  process_fd_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
  ensure(process_fd_ >= 0, "the kernel gives out descriptors of processes");
  fcntl(process_fd_, F_SETFD, FD_CLOEXEC);
}

ChildProcess::~ChildProcess() {
  close_once(input_);
  if (!ended()) {
    kill();
    waitpid(process_, nullptr, 0);
  }
  for (int* const fd : {&output_, &error_, &process_fd_}) close_once(*fd);
}

void ChildProcess::tell(std::string_view text) {
  if (input_ended()) return;
  unwritten_ += text;
  write_input();
}

void ChildProcess::end_input() { close_once(input_); }

void ChildProcess::kill() {
  if (!ended()) ::kill(process_, SIGKILL);
}

void ChildProcess::add_to(std::vector<pollfd>& polled) const {
  if (ended()) return;
  polled.push_back({process_fd_, POLLIN, 0});
  if (output_ >= 0) polled.push_back({output_, POLLIN, 0});
  if (error_ >= 0) polled.push_back({error_, POLLIN, 0});
  if (input_ >= 0 && has_unwritten()) polled.push_back({input_, POLLOUT, 0});
}

void ChildProcess::look(const Listener& listener) {
  if (ended()) return;
  int status = 0;
  // The order matters: first ask whether the program has ended, then read its output. So no output is lost.
  const bool gone = waitpid(process_, &status, WNOHANG) == process_;
  write_input();
  read_from(output_, listener.output);
  read_from(error_, listener.error);
  if (!gone) return;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  close_once(input_);
}

void ChildProcess::write_input() {
  while (input_ >= 0 && has_unwritten()) {
    const ssize_t length = write(input_, unwritten_.data() + written_, unwritten_.size() - written_);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) return;
    if (length < 0) return end_input();  // the program has closed its input
    written_ += static_cast<std::size_t>(length);
  }
  unwritten_.clear();
  written_ = 0;
}

void ChildProcess::read_from(int& pipe_end, const std::function<void(std::string_view)>& listener) {
  std::array<char, 65536> piece{};
  while (pipe_end >= 0) {
    const ssize_t length = read(pipe_end, piece.data(), piece.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EAGAIN) return;
    if (length <= 0) return close_once(pipe_end);
    listener({piece.data(), static_cast<std::size_t>(length)});
  }
}

}  // namespace hearsay
