#include "runtime/cluster/host_address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::size_t scheme_length = 6;  // tcp://

std::string port_of(const std::string& address) { return address.substr(address.rfind(':') + 1); }

/// "10.0.0.1" or "fe80::1%eth0", in this case ZeroMQ needs no name server.
bool is_ip(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  const std::string without_zone = host.substr(0, host.find('%'));
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 || inet_pton(AF_INET6, without_zone.c_str(), &v6) == 1;
}

/// The first address that a name stands for.
std::string looked_up(const std::string& host, const std::string& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0)
    throw Misuse("address", address, "the name " + host + " is not known here (" + gai_strerror(error) + ")");
  std::array<char, NI_MAXHOST> text{};
  const int failure =
      getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  const bool v6 = found->ai_family == AF_INET6;
  freeaddrinfo(found);
  if (failure != 0) throw Misuse("address", address, "expected a name that stands for an IP address");
  const std::string ip = text.data();
  return v6 ? "[" + ip + "]" : ip;
}

}  // namespace

std::string host_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon < scheme_length) return {};
  const std::string host = address.substr(scheme_length, colon - scheme_length);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

bool is_wildcard(const std::string& address) {
  const std::string host = host_of(address);
  in_addr v4{};
  in6_addr v6{};
  return host == "*" || (inet_pton(AF_INET, host.c_str(), &v4) == 1 && v4.s_addr == htonl(INADDR_ANY)) ||
         (inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_UNSPECIFIED(&v6));
}

bool is_loopback(const std::string& address) {
  const std::string host = host_of(address);
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

std::string listening_address(const std::string& address, const std::string& bind) {
  if (!bind.empty()) return bind;
  const std::string host = host_of(address);
  if (host.empty() || host == "*" || is_ip(host)) return address;
  return "tcp://" + looked_up(host, address) + ":" + port_of(address);
}

}  // namespace hearsay
