#include "runtime/cluster/address.hpp"

#include <doctest/doctest.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "runtime/cluster/addresses.hpp"
#include "runtime/security/credentials.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/topology_text.hpp"

namespace hearsay::address_test {

namespace {

/// Returns a cluster of two peers with these `address` lines, and an observer line.
NamedTopology cluster_at(const std::string& first, const std::string& second, const std::string& observer) {
  return parse_topology(
      "family = \"ring\"\n" + observer + "\n[[peer]]\n" + first + "\n[[peer]]\n" + second + "\n", 1,
      "c.toml");
}

/// Returns what this machine's interfaces are called by other machines: "tcp://10.0.0.7:7000", say.
std::vector<std::string> own_addresses() {
  std::vector<std::string> own;
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return own;
  for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next) {
    const int family = each->ifa_addr == nullptr ? AF_UNSPEC : each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    std::array<char, NI_MAXHOST> host{};
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (getnameinfo(each->ifa_addr, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0)
      continue;
    const Address address{host.data(), "7000", family == AF_INET6};
    if (!address.is_loopback()) own.push_back(address.text());
  }
  freeifaddrs(interfaces);
  return own;
}

}  // namespace

TEST_CASE("addresses: loopback is what only this machine reaches, a wildcard is all of its interfaces") {
  for (const std::string mine :
       {"tcp://127.0.0.1:1", "tcp://127.9.9.9:1", "tcp://[::1]:1", "tcp://localhost:1"})
    CHECK(Address::parse(mine).is_loopback());
  for (const std::string open : {"tcp://10.0.0.1:1", "tcp://*:1", "tcp://0.0.0.0:1", "tcp://[::]:1",
                                 "tcp://node1:1", "tcp://128.0.0.1:1", "tcp://[fe80::1%eth0]:1"})
    CHECK_FALSE(Address::parse(open).is_loopback());
  for (const std::string all : {"tcp://*:1", "tcp://0.0.0.0:1", "tcp://[::]:1"})
    CHECK(Address::parse(all).is_wildcard());
  for (const std::string one : {"tcp://10.0.0.1:1", "tcp://[::1]:1", "tcp://node1:1"})
    CHECK_FALSE(Address::parse(one).is_wildcard());
}

TEST_CASE("addresses: the parts of an address make the same address again") {
  const auto parts = [](const std::string& text) {
    const Address address = Address::parse(text);
    CHECK(address.text() == text);
    return std::pair(address.host, address.port);
  };
  CHECK(parts("tcp://node1:7000") == std::pair<std::string, std::string>("node1", "7000"));
  CHECK(parts("tcp://[fe80::1%eth0]:7000") == std::pair<std::string, std::string>("fe80::1%eth0", "7000"));
  CHECK(parts("tcp://127.0.0.1:*") == std::pair<std::string, std::string>("127.0.0.1", "*"));
  for (const std::string none : {"", "tcp:", "tcp://", "ipc://here:1", "7000"}) {
    CHECK(Address::parse(none).host.empty());
    CHECK(Address::parse(none).port.empty());
  }
}

TEST_CASE("addresses: a peer listens at its address and nowhere else, unless told where") {
  CHECK(listening_address("tcp://10.0.0.1:7000", "") == "tcp://10.0.0.1:7000");
  CHECK(listening_address("tcp://[fe80::1%eth0]:7000", "") == "tcp://[fe80::1%eth0]:7000");
  CHECK(listening_address("tcp://127.0.0.1:*", "") == "tcp://127.0.0.1:*");
  CHECK(listening_address("tcp://node1:7000", "tcp://*:7000") == "tcp://*:7000");
  CHECK(Address::parse(listening_address("tcp://localhost:7000", "")).is_loopback());
  CHECK(listening_address("tcp://localhost:7000", "") != "tcp://localhost:7000");
  CHECK(contains(misuse_text([] { listening_address("tcp://no.such.host.invalid:7000", ""); }),
                 "the name no.such.host.invalid is not known here"));
}

TEST_CASE("addresses: a name that is loopback at its own home is refused if another peer is elsewhere") {
  const auto complaint = [](const std::string& address, const std::string& listening,
                            const std::vector<std::string>& others) {
    return misuse_text([&] { require_reachable("address", "bind", address, listening, others); });
  };
  const std::vector<std::string> far{"tcp://node1:7000", "tcp://10.0.0.2:7000"};
  for (const std::string listening : {"tcp://127.0.1.1:7000", "tcp://[::1]:7000"})
    CHECK(complaint("tcp://node1:7000", listening, far) ==
          "address = \"tcp://node1:7000\": the name node1 is " + Address::parse(listening).host +
              " on this machine (see its /etc/hosts), where no other machine reaches it; expected bind = "
              "\"tcp://0.0.0.0:7000\" beside it");
  CHECK(complaint("tcp://node1:7000", "tcp://10.0.0.1:7000", far).empty());
  CHECK(complaint("tcp://node1:7000", "tcp://0.0.0.0:7000", far).empty());  // its `bind`
  // All on one machine; and addresses that say themselves that they are loopback.
  CHECK(
      complaint("tcp://node1:7000", "tcp://127.0.1.1:7000", {"tcp://localhost:7001", "tcp://127.0.0.1:7002"})
          .empty());
  for (const std::string mine : {"tcp://127.0.0.1:7000", "tcp://localhost:7000"})
    CHECK(complaint(mine, "tcp://127.0.0.1:7000", far).empty());
}

TEST_CASE("addresses: a loopback name is not refused for another peer at this machine's own address") {
  const auto complaint = [](const std::string& other) {
    return misuse_text(
        [&] { require_reachable("address", "bind", "tcp://node1:7000", "tcp://127.0.1.1:7000", {other}); });
  };
  const std::vector<std::string> own = own_addresses();
  if (own.empty()) MESSAGE("skipped: own addresses (this machine has a loopback interface only)");
  for (const std::string& address : own) CHECK_MESSAGE(complaint(address).empty(), address);
  CHECK(contains(complaint("tcp://[2001:db8::1]:7000"), "no other machine reaches it"));
  CHECK(contains(complaint("tcp://198.51.100.7:7000"), "no other machine reaches it"));
}

TEST_CASE("addresses: a run that other machines can reach without keys is warned of, and no other") {
  const std::string near = "address = \"tcp://127.0.0.1:7001\"";
  const std::string here = "address = \"tcp://[::1]:7002\"";
  const std::string far = "address = \"tcp://10.0.0.2:7000\"";
  const RunSettings::Security none;
  const RunSettings::Security keys{"cluster.keys", "a.key"};
  CHECK_FALSE(plain_text_warning(none, cluster_at(near, here, "")));
  CHECK_FALSE(plain_text_warning(none, cluster_at("", "", "")));
  CHECK(contains(plain_text_warning(none, cluster_at(near, far, "")).value_or(""),
                 "reach tcp://10.0.0.2:7000"));
  CHECK(contains(plain_text_warning(none, cluster_at(near, here, "observer = \"tcp://a:1\"")).value_or(""),
                 "tcp://a:1"));
  CHECK(contains(
      plain_text_warning(none, cluster_at(near, here + "\nbind = \"tcp://*:7002\"", "")).value_or(""),
      "reach tcp://*:7002"));
  CHECK_FALSE(plain_text_warning(keys, cluster_at(near, far, "")));
  CHECK(contains(misuse_text([&] {
                   plain_text_warning({"cluster.keys", ""}, cluster_at(near, far, ""));
                 }),
                 "security.authorized = cluster.keys: expected security.secret, too"));
  CHECK(contains(misuse_text([&] {
                   plain_text_warning({"", "a.key"}, cluster_at(near, far, ""));
                 }),
                 "security.secret = a.key: expected security.authorized, too"));
}

}  // namespace hearsay::address_test
