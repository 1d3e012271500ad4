#include "runtime/network/congestion.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "runtime/foundation/file_descriptor.hpp"
#include "topology/foundation/host_refusal.hpp"

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

/// True if both ends are on this machine.
bool stays_here(int socket) {
  const std::string own = host_of(socket, getsockname);
  return is_loopback(own) || (!own.empty() && own == host_of(socket, getpeername));
}

bool set(int socket, const std::string& name) {
  return setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), static_cast<socklen_t>(name.size())) ==
         0;
}

std::string congestion_of(int socket) {
  std::array<char, 16> name{};  // TCP_CA_NAME_MAX
  socklen_t length = name.size();
  if (getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return std::string(name.data(), strnlen(name.data(), length));
}

/// Returns the line of net.ipv4.`name`: "reno bbr cubic".
std::string names_in(const std::string& name) {
  std::ifstream file("/proc/sys/net/ipv4/" + name);
  std::string line;
  std::getline(file, line);
  return line;
}

[[noreturn]] void refuse(const std::string& wanted, int error) {
  const bool lacks_it = error == ENOENT;
  const std::string where = lacks_it ? "tcp_available_congestion_control" : "tcp_allowed_congestion_control";
  throw HostRefusal("network.congestion", wanted,
                    std::string(lacks_it ? "this kernel does not have it" : "this process may not use it") +
                        "; expected \"auto\", \"system\", or one of net.ipv4." + where + ": " +
                        names_in(where));
}

}  // namespace

std::string set_congestion(int socket, const std::string& wanted) {
  if (wanted == automatic_congestion)
    set(socket, stays_here(socket) ? congestion_on_one_host : congestion_between_hosts);
  else if (wanted != system_congestion)
    set(socket, wanted);
  return congestion_of(socket);
}

std::string congestion_here(const std::string& wanted) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (wanted != automatic_congestion && wanted != system_congestion && !set(socket.number(), wanted))
    refuse(wanted, errno);
  return set_congestion(socket.number(), wanted);
}

}  // namespace hearsay
