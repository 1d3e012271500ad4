#include "runtime/program/program_channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/program/protocol.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

// A program that made the file shorter would let this process, too, die of SIGBUS.
SharedMemory::SharedMemory(const MemoryLayout& layout)
    : layout_(layout), file_(memfd_create("hearsay", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (file_ && ftruncate(file_.number(), static_cast<off_t>(layout.size)) == 0 &&
      fcntl(file_.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    address_ = mmap(nullptr, layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (address_ == nullptr || address_ == MAP_FAILED)
    throw HostRefusal("this machine does not give " + std::to_string(layout.size) +
                      " bytes of memory to share with the program of model.program (" + std::strerror(errno) +
                      ")");
}

SharedMemory::~SharedMemory() { munmap(address_, layout_.size); }

bool ProgramChannel::send(std::span<const std::byte> bytes, int beside) const {
  // sendmsg only reads what the pointers of a msghdr point to.
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  if (beside >= 0) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &beside, sizeof beside);
  }
  ssize_t sent = -1;
  do sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

bool ProgramChannel::has_word() const {
  pollfd polled{socket_.number(), POLLIN, 0};
  return poll(&polled, 1, 0) > 0;
}

ProgramChannel::Heard ProgramChannel::receive(int patience_ms, int watch) {
  length_ = 0;
  std::array<pollfd, 2> polled{pollfd{socket_.number(), POLLIN, 0}, pollfd{watch, POLLIN, 0}};
  int ready = -1;
  do ready = poll(polled.data(), polled.size(), patience_ms);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) return Heard::silence;
  // Its last words may have come between the looks at the socket and at the process.
  if (polled[0].revents == 0 && !has_word()) return Heard::end;
  buffer_.resize(hello_limit + 1);
  // A program that ended with a question unread resets the socket. Its last words come after that.
  ssize_t length = -1;
  do length = recv(socket_.number(), buffer_.data(), buffer_.size(), 0);
  while (length < 0 && (errno == EINTR || errno == ECONNRESET));
  if (length <= 0) return Heard::end;
  length_ = static_cast<std::size_t>(length);
  return Heard::message;
}

}  // namespace hearsay
