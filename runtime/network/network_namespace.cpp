#include "runtime/network/network_namespace.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr const char* own_namespace = "/proc/thread-self/ns/net";

struct CommandEnd {
  bool succeeded;
  std::string said;
  std::string first_complaint;
};

void enter(int place) {
  if (setns(place, CLONE_NEWNET) != 0)
    throw Misuse("this process may not enter network namespaces (" + std::string(std::strerror(errno)) +
                 "); expected root");
}

std::string all_of(int pipe_end) {
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t length = 0; (length = read(pipe_end, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(length));
  return text;
}

/// Runs a program in the namespace `place`. Precondition: its standard error fits into a pipe (64 KiB), since
/// it is read last.
CommandEnd end_of(const std::vector<std::string>& words, int place) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> output{}, complaints{};
  if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(complaints.data(), O_CLOEXEC) != 0)
    throw Misuse("this machine gives out no more pipes (" + std::string(std::strerror(errno)) + ")");
  const pid_t process = fork();
  if (process == 0) {
    for (const int request :
         {SIGINT, SIGTERM, SIGHUP})  // they reach the whole process group, and would leave half a network
      signal(request, SIG_IGN);
    if (setns(place, CLONE_NEWNET) != 0) _exit(126);
    dup2(output[1], STDOUT_FILENO);
    dup2(complaints[1], STDERR_FILENO);
    setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
    execvp(argv[0], argv.data());
    dprintf(STDERR_FILENO, "there is no program %s here (Debian package iproute2)\n", argv[0]);
    _exit(127);
  }
  close(output[1]);
  close(complaints[1]);
  CommandEnd end{false, all_of(output[0]), all_of(complaints[0])};
  end.first_complaint.resize(std::min(end.first_complaint.find('\n'), end.first_complaint.size()));
  close(output[0]);
  close(complaints[0]);
  int status = -1;
  end.succeeded =
      process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return end;
}

}  // namespace

NetworkNamespace::NetworkNamespace() {
  const FileDescriptor home(own_namespace, O_RDONLY);
  if (unshare(CLONE_NEWNET) != 0)
    throw Misuse("this process may not make network namespaces (" + std::string(std::strerror(errno)) +
                 "); expected root");
  place_ = FileDescriptor(own_namespace, O_RDONLY);
  hearsay::enter(home.number());
  run({"ip", "link", "set", "lo", "up"});
}

void NetworkNamespace::enter() const { hearsay::enter(place_.number()); }

std::string NetworkNamespace::run(const std::vector<std::string>& words) const {
  CommandEnd end = end_of(words, place_.number());
  if (end.succeeded) return std::move(end.said);
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  throw Misuse("the kernel's network: `" + line + "` failed: " + end.first_complaint);
}

bool NetworkNamespace::succeeds(const std::vector<std::string>& words) const {
  return end_of(words, place_.number()).succeeded;
}

std::string NetworkNamespace::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(place_.number());
}

std::uint64_t NetworkNamespace::limited_bytes(const std::string& interface) const {
  const std::string said = run({"tc", "-s", "qdisc", "show", "dev", interface});
  const std::size_t sent = said.find("Sent ", std::min(said.find("qdisc tbf"), said.size()));
  return sent == std::string::npos ? 0 : std::stoull(said.substr(sent + 5));
}

NamespaceVisit::NamespaceVisit(const NetworkNamespace& place) : home_(own_namespace, O_RDONLY) {
  place.enter();
}

NamespaceVisit::~NamespaceVisit() { hearsay::enter(home_.number()); }

}  // namespace hearsay
