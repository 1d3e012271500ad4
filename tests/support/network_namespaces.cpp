#include "tests/support/network_namespaces.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

namespace {

namespace fs = std::filesystem;

void shape(const NetworkNamespace& place, const std::string& interface, const std::string& rate) {
  // A burst of a few frames limits the rate without long pauses. The queue holds 50 ms and then drops frames,
  // as a cheap switch does.
  place.run({"tc", "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate, "burst", "16kb",
             "latency", "50ms"});
}

std::string port_of(std::size_t host) { return "port" + std::to_string(host); }

std::string program_of(const fs::path& process) {
  std::ifstream in(process / "comm");
  std::string name;
  std::getline(in, name);
  return name;
}

/// True if the process has ended and waits for its parent to reap it.
bool is_zombie(const fs::path& process) {
  std::ifstream in(process / "stat");  // "pid (name) state parent ..."
  std::string status;
  std::getline(in, status);
  const std::size_t end = status.rfind(')');
  return end == std::string::npos || status.substr(end + 2, 1) == "Z";
}

}  // namespace

std::optional<std::string> NetworkNamespaces::why_not() {
  if (geteuid() == 0) return std::nullopt;
  return "only root may make network namespaces";
}

bool skipped_without_namespaces(const std::string& what) {
  const auto reason = NetworkNamespaces::why_not();
  if (reason) MESSAGE("skipped: " << what << " (" << *reason << ")");
  return reason.has_value();
}

NetworkNamespaces::NetworkNamespaces(std::size_t host_count) : hosts_(host_count) {
  ensure(host_count > 0 && host_count < 255, "hosts fit into 10.77.0.0/24");
  switch_.run({"ip", "link", "add", "bridge", "type", "bridge"});
  switch_.run({"ip", "link", "set", "bridge", "up"});
  for (std::size_t host = 0; host < host_count; ++host) {
    switch_.run({"ip", "link", "add", port_of(host), "type", "veth", "peer", "name", "eth0", "netns",
                 hosts_[host].path()});
    switch_.run({"ip", "link", "set", port_of(host), "master", "bridge", "up"});
    hosts_[host].run({"ip", "address", "add", address(host) + "/24", "dev", "eth0"});
    hosts_[host].run({"ip", "link", "set", "eth0", "up"});
  }
}

NetworkNamespaces::~NetworkNamespaces() {
  for (std::size_t host = 0; host < hosts_.size(); ++host)
    for (const pid_t process : processes(host)) kill(process, SIGKILL);
  // A namespace outlives its last process for a while, so the cables are removed by hand.
  for (std::size_t host = 0; host < hosts_.size(); ++host)
    switch_.run({"ip", "link", "delete", port_of(host)});
}

std::string NetworkNamespaces::address(std::size_t host) const {
  return "10.77.0." + std::to_string(host + 1);
}

std::function<void()> NetworkNamespaces::enter(std::size_t host) const {
  return [place = &hosts_.at(host)] { place->enter(); };
}

int NetworkNamespaces::listen(std::size_t host, std::uint16_t port) const {
  const NamespaceVisit visit(hosts_.at(host));
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  inet_pton(AF_INET, address(host).c_str(), &at.sin_addr);
  ensure(bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0 && ::listen(listener, 16) == 0,
         "a new host's ports are free");
  return listener;
}

void NetworkNamespaces::set_link(std::size_t host, bool up) const {
  switch_.run({"ip", "link", "set", port_of(host), up ? "up" : "down"});
}

void NetworkNamespaces::set_path(std::size_t one, std::size_t other, bool open) const {
  for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)})
    hosts_.at(from).run({"ip", "route", open ? "del" : "add", "blackhole", address(to) + "/32"});
}

void NetworkNamespaces::limit_bandwidth(std::size_t host, const std::string& rate) const {
  shape(hosts_.at(host), "eth0", rate);
  shape(switch_, port_of(host), rate);
}

NetworkNamespaces::Traffic NetworkNamespaces::traffic(std::size_t host) const {
  const NamespaceVisit visit(hosts_.at(host));
  std::ifstream in("/proc/thread-self/net/dev");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find("eth0:");
    if (colon == std::string::npos) continue;
    std::istringstream numbers(line.substr(colon + 5));
    std::uint64_t ignored = 0;
    Traffic traffic;
    numbers >> traffic.bytes_received;
    for (int field = 0; field < 7; ++field) numbers >> ignored;
    numbers >> traffic.bytes_sent;
    return traffic;
  }
  ensure(false, "every host has eth0");
  return {};
}

std::vector<pid_t> NetworkNamespaces::processes(std::size_t host, const std::string& program) const {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    std::error_code gone;
    if (!fs::equivalent(entry.path() / "ns/net", hosts_.at(host).path(), gone)) continue;
    if (is_zombie(entry.path())) continue;
    if (program.empty() || program_of(entry.path()) == program) found.push_back(std::stoi(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool all_ended(const std::vector<pid_t>& processes) {
  constexpr int patience_ms = 60'000;
  for (const pid_t process : processes) {
    const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    if (descriptor < 0) continue;  // it has
    pollfd polled{descriptor, POLLIN, 0};
    const bool ended = poll(&polled, 1, patience_ms) == 1;
    close(descriptor);
    if (!ended) return false;
  }
  return true;
}

}  // namespace hearsay::test
