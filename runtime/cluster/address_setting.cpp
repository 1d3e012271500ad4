#include "runtime/cluster/address_setting.hpp"

#include <algorithm>

#include "runtime/cluster/host_address.hpp"
#include "runtime/toml/document.hpp"

namespace hearsay {

std::string read_address_or_wildcard(const Setting& setting) {
  const std::string& address = setting.text();
  const auto refuse = [&] { setting.refuse("\"tcp://HOST:PORT\" with a port from 1 to 65535"); };
  const std::string scheme = "tcp://";
  if (!address.starts_with(scheme)) refuse();
  const std::size_t colon = address.rfind(':');
  if (colon < scheme.size()) refuse();
  std::string host = address.substr(scheme.size(), colon - scheme.size());
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto fits = [&](char c) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || c == '.' || c == '-' || c == '_' || (bracketed && (c == ':' || c == '%'));
  };
  if (host.empty() || (host != "*" && !std::ranges::all_of(host, fits))) refuse();
  const std::string port = address.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoi(port) < 1 || std::stoi(port) > 65535) refuse();
  return address;
}

std::string read_address(const Setting& setting) {
  const std::string address = read_address_or_wildcard(setting);
  if (is_wildcard(address))
    setting.refuse("an address where others find it; to listen on all interfaces, give that and bind = " +
                   toml_text(address));
  return address;
}

}  // namespace hearsay
