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

#include "runtime/process/parent_end.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

namespace {

constexpr std::size_t longest_address = 512;

struct Request {
  PeerId id = 0;
  bool resumes = false;
  std::array<char, longest_address> address{};
};

/// A message of one request and one file descriptor (SCM_RIGHTS).
struct Parcel {
  Request request;
  iovec part{&request, sizeof request};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> beside{};
  msghdr message{nullptr, 0, &part, 1, beside.data(), beside.size(), 0};
};

bool send_parcel(int socket, const Request& request, int descriptor) {
  Parcel parcel;
  parcel.request = request;
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
    code = peer_main(request.id, request.address.data(), request.resumes, socket);
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

[[noreturn]] void tend(const ForkServer::PeerMain& peer_main, const Notice& notice, bool peers_outlive_parent,
                       int socket) {
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
      if (peers_outlive_parent)
        outlive_parent();
      else
        die_with(self);
      if (getppid() != self) _exit(3);
      close(socket);
      signal(SIGCHLD, SIG_DFL);
      live(peer_main, notice, request, descriptor);
    }
    close(descriptor);
    if (send(socket, &process, sizeof process, MSG_NOSIGNAL) != sizeof process) _exit(0);
  }
}

}  // namespace

ForkServer::ForkServer(PeerMain peer_main, const Notice& notice, bool peers_outlive_parent) {
  std::array<int, 2> ends{};
  std::fflush(nullptr);
  const pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0) process_ = fork();
  if (process_ < 0)
    throw HostRefusal("this machine gives out no more processes (" + std::string(std::strerror(errno)) + ")");
  if (process_ == 0) {
    die_with(parent);
    close(ends[0]);
    tend(peer_main, notice, peers_outlive_parent, ends[1]);
  }
  close(ends[1]);
  socket_ = ends[0];
}

ForkServer::~ForkServer() {
  close(socket_);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::optional<ForkServer::Forked> ForkServer::fork_peer(PeerId id, const std::string& address, bool resumes) {
  Request request{.id = id, .resumes = resumes};
  std::array<int, 2> ends{};
  if (address.size() >= longest_address) return std::nullopt;
  std::memcpy(request.address.data(), address.data(), address.size());
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  const bool sent = send_parcel(socket_, request, ends[1]);
  close(ends[1]);
  pid_t process = -1;
  ssize_t length = -1;
  if (sent) {
    do length = recv(socket_, &process, sizeof process, 0);
    while (length < 0 && errno == EINTR);
  }
  if (length == sizeof process && process > 0) return Forked{process, ends[0]};
  close(ends[0]);
  return std::nullopt;
}

}  // namespace hearsay
