#include "runtime/network/congestion.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/network/ends_of_connection.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

namespace {

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

std::string set_congestion(int socket, const std::string& wanted, bool is_paced) {
  const char* const between_hosts = is_paced ? congestion_if_paced : congestion_between_hosts;
  if (wanted == automatic_congestion)
    set(socket, stays_here(socket) ? congestion_on_one_host : between_hosts);
  else if (wanted != system_congestion)
    set(socket, wanted);
  return congestion_of(socket);
}

std::string congestion_here(const std::string& wanted, bool is_paced) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (wanted != automatic_congestion && wanted != system_congestion && !set(socket.number(), wanted))
    refuse(wanted, errno);
  return set_congestion(socket.number(), wanted, is_paced);
}

}  // namespace hearsay
