#include "runtime/cluster/address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::string_view scheme = "tcp://";

bool is_name(const Address& address) {
  return !address.host.empty() && address.host != "*" && !address.is_numeric();
}

/// What the system knows of a name.
struct LookUp {
  int error = 0;               // of getaddrinfo
  std::vector<Address> found;  // its IP addresses, with the port, in the order of the system
};

LookUp look_up(const Address& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  LookUp known{getaddrinfo(name.host.c_str(), nullptr, &hints, &found), {}};
  if (known.error != 0) return known;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) ==
        0)
      known.found.push_back({text.data(), name.port, each->ai_family == AF_INET6});
  }
  freeaddrinfo(found);
  return known;
}

/// Returns the address with its host name replaced by the first IP address of that name.
Address looked_up(const Address& address) {
  const LookUp known = look_up(address);
  if (known.error != 0)
    throw Misuse("address", address.text(),
                 "the name " + address.host + " is not known here (" + gai_strerror(known.error) + ")");
  if (known.found.empty())
    throw Misuse("address", address.text(), "expected a name that stands for an IP address");
  return known.found.front();
}

/// True for "*", and for the characters that a name or an IP address may consist of.
bool is_host(const Address& address) {
  const auto fits = [&](char c) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || c == '.' || c == '-' || c == '_' ||
           (address.in_brackets && (c == ':' || c == '%'));
  };
  return !address.host.empty() && (address.host == "*" || std::ranges::all_of(address.host, fits));
}

bool is_port(const std::string& port) {
  const bool digits = !port.empty() && port.size() <= 5 &&
                      std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  return digits && std::stoi(port) >= 1 && std::stoi(port) <= 65535;
}

}  // namespace

Address Address::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (!text.starts_with(scheme) || colon < scheme.size()) return {};
  std::string_view host = text.substr(scheme.size(), colon - scheme.size());
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  return {std::string(host), std::string(text.substr(colon + 1)), bracketed};
}

std::string Address::text() const {
  return std::string(scheme) + (in_brackets ? "[" + host + "]" : host) + ":" + port;
}

bool Address::is_numeric() const {
  in_addr v4{};
  in6_addr v6{};
  const std::string without_zone = host.substr(0, host.find('%'));
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 || inet_pton(AF_INET6, without_zone.c_str(), &v6) == 1;
}

bool Address::is_wildcard() const {
  in_addr v4{};
  in6_addr v6{};
  return host == "*" || (inet_pton(AF_INET, host.c_str(), &v4) == 1 && v4.s_addr == htonl(INADDR_ANY)) ||
         (inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_UNSPECIFIED(&v6));
}

bool Address::is_loopback() const {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

bool Address::is_of_this_machine() const {
  if (is_loopback()) return true;
  in_addr v4{};
  in6_addr v6{};
  const bool numbers_v4 = inet_pton(AF_INET, host.c_str(), &v4) == 1;
  if (!numbers_v4 && inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &v6) != 1) return false;
  const auto is_same = [&](const sockaddr* own) {
    if (own == nullptr || own->sa_family != (numbers_v4 ? AF_INET : AF_INET6)) return false;
    if (numbers_v4) return reinterpret_cast<const sockaddr_in*>(own)->sin_addr.s_addr == v4.s_addr;
    return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(own)->sin6_addr, &v6, sizeof v6) == 0;
  };
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return false;
  bool is_own = false;
  for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next)
    is_own = is_own || is_same(each->ifa_addr);
  freeifaddrs(interfaces);
  return is_own;
}

std::string read_address_or_wildcard(const Setting& setting) {
  const Address address = Address::parse(setting.text());
  if (!is_host(address) || !is_port(address.port))
    setting.refuse("\"tcp://HOST:PORT\" with a port from 1 to 65535");
  return setting.text();
}

std::string read_address(const Setting& setting) {
  const std::string address = read_address_or_wildcard(setting);
  if (Address::parse(address).is_wildcard())
    setting.refuse("an address where others find it; to listen on all interfaces, give that and bind = " +
                   toml_text(address));
  return address;
}

std::vector<DialedAddress> addresses_to_dial(const std::string& address) {
  const Address parsed = Address::parse(address);
  if (!is_name(parsed)) return {{address, parsed.is_v6()}};
  const std::vector<Address> found = look_up(parsed).found;
  if (found.size() < 2) return {{address, !found.empty() && found.front().is_v6()}};
  std::vector<DialedAddress> all;
  for (const Address& each : found) all.push_back({each.text(), each.is_v6()});
  return all;
}

std::string listening_address(const std::string& address, const std::string& bind) {
  if (!bind.empty()) return bind;
  const Address parsed = Address::parse(address);
  if (!is_name(parsed)) return address;
  return looked_up(parsed).text();
}

}  // namespace hearsay
