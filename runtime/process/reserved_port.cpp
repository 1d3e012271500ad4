#include "runtime/process/reserved_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

ReservedPort::ReservedPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  if (setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(socket_.number(), address, size) != 0 || getsockname(socket_.number(), address, &size) != 0)
    throw HostRefusal("this machine gives out no more ports (" + std::string(std::strerror(errno)) + ")");
  address_ = "tcp://127.0.0.1:" + std::to_string(ntohs(own.sin_port));
}

}  // namespace hearsay
