#include "runtime/process/fork_server.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::size_t longest_word = 512;

struct Request {
  PeerId id = 0;
  std::array<char, longest_word> word{};
};

/// A message of one request and one file descriptor (SCM_RIGHTS).
struct Parcel {
  Request request;
  iovec part{&request, sizeof request};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> beside{};
  msghdr message{nullptr, 0, &part, 1, beside.data(), beside.size(), 0};
};

bool send_parcel(int socket, PeerId id, const std::string& word, int descriptor) {
  Parcel parcel;
  parcel.request.id = id;
  if (word.size() >= longest_word) return false;
  std::memcpy(parcel.request.word.data(), word.data(), word.size());
  cmsghdr* const rights = CMSG_FIRSTHDR(&parcel.message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  return sendmsg(socket, &parcel.message, MSG_NOSIGNAL) == sizeof(Request);
}

/// Returns the file descriptor; -1 if the other end is gone.
int receive_parcel(int socket, Request& request) {
  Parcel parcel;
  ssize_t length = -1;
  do length = recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC);
  while (length < 0 && errno == EINTR);
  const cmsghdr* const rights = CMSG_FIRSTHDR(&parcel.message);
  if (length != sizeof(Request) || rights == nullptr) return -1;
  request = parcel.request;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(rights), sizeof descriptor);
  return descriptor;
}

[[noreturn]] void live(const ForkServer::PeerMain& peer_main, const Notice& notice, const Request& request,
                       int socket) {
  // Whatever happens, a child never returns into the parent's code.
  int code = 3;
  try {
    code = peer_main(request.id, request.word.data(), socket);
  } catch (const std::exception& error) {
    notice("peer " + std::to_string(request.id) + ": " + error.what());
  }
  std::fflush(nullptr);
  _exit(code);
}

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(3);  // the parent died before prctl
}

[[noreturn]] void tend(const ForkServer::PeerMain& peer_main, const Notice& notice, int socket) {
  signal(SIGINT, SIG_IGN);  // Ctrl-C reaches all processes of the group; the parent decides what happens
  signal(SIGTERM, SIG_DFL);
  signal(SIGCHLD, SIG_IGN);  // no wait for the children: the kernel reaps them
  const pid_t self = getpid();
  for (;;) {
    Request request;
    const int descriptor = receive_parcel(socket, request);
    if (descriptor < 0) _exit(0);
    const pid_t process = fork();
    if (process == 0) {
      die_with(self);
      close(socket);
      signal(SIGCHLD, SIG_DFL);
      live(peer_main, notice, request, descriptor);
    }
    close(descriptor);  // also if fork failed: the other end then sees a closed socket
  }
}

}  // namespace

ForkServer::ForkServer(PeerMain peer_main, const Notice& notice) {
  std::array<int, 2> ends{};
  std::fflush(nullptr);
  const pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0) process_ = fork();
  if (process_ < 0)
    throw Misuse("this machine gives out no more processes (" + std::string(std::strerror(errno)) + ")");
  if (process_ == 0) {
    die_with(parent);
    close(ends[0]);
    tend(peer_main, notice, ends[1]);
  }
  close(ends[1]);
  socket_ = ends[0];
}

ForkServer::~ForkServer() {
  close(socket_);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

int ForkServer::fork_peer(PeerId id, const std::string& word) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return -1;
  const bool sent = send_parcel(socket_, id, word, ends[1]);
  close(ends[1]);
  if (sent) return ends[0];
  close(ends[0]);
  return -1;
}

}  // namespace hearsay
