#include "runtime/network/ends_of_connection.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace hearsay {

namespace {

using AddressOf = int (*)(int, sockaddr*, socklen_t*);

/// Returns an address of the socket without its port; an empty text if it has none.
std::string host_of(int socket, AddressOf address_of) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (address_of(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  const auto text_of = [](const auto& bytes) {
    return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  };
  if (address.ss_family == AF_INET) return text_of(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  if (address.ss_family == AF_INET6) return text_of(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return {};
}

bool is_loopback(const std::string& host) {
  const std::string v6(reinterpret_cast<const char*>(&in6addr_loopback), sizeof in6addr_loopback);
  return host == v6 || (host.size() == sizeof(in_addr) && host.front() == 127);
}

}  // namespace

std::string far_end(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return {reinterpret_cast<const char*>(&address), length};
}

bool stays_here(int socket) {
  const std::string own = host_of(socket, getsockname);
  return is_loopback(own) || (!own.empty() && own == host_of(socket, getpeername));
}

}  // namespace hearsay
