#pragma once

#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// A process of a user who has nothing to do with the runs in this network namespace. Made by root, in a
/// process with one thread.
class CrowdOfAnotherUser {
 public:
  CrowdOfAnotherUser() {
    ensure(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_.data()) == 0, "a machine has sockets");
    process_ = fork();
    ensure(process_ >= 0, "a machine can start another process");
    if (process_ == 0) {
      close(ends_[0]);  // so that it ends with the process that made it
      become_nobody();
      char word = 0;
      while (recv(ends_[1], &word, 1, 0) == 1) {
        const std::string seen = connect_to_all();
        send(ends_[1], seen.data(), seen.size(), MSG_NOSIGNAL);
      }
      _exit(0);
    }
    close(ends_[1]);
  }
  ~CrowdOfAnotherUser() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    close(ends_[0]);
  }
  CrowdOfAnotherUser(const CrowdOfAnotherUser&) = delete;
  CrowdOfAnotherUser& operator=(const CrowdOfAnotherUser&) = delete;

  /// Connects 250 times to each socket of hearsay that listens here, holds all connections, and returns what
  /// became of them.
  std::string comes() const {
    std::string seen(256, '\0');
    send(ends_[0], "x", 1, MSG_NOSIGNAL);
    const ssize_t length = recv(ends_[0], seen.data(), seen.size(), 0);
    seen.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return seen;
  }

 private:
  static void become_nobody() {
    constexpr unsigned nobody = 65534;
    const rlimit many_files{4096, 4096};
    const bool became = setrlimit(RLIMIT_NOFILE, &many_files) == 0 && setgroups(0, nullptr) == 0 &&
                        setgid(nobody) == 0 && setuid(nobody) == 0;
    ensure(became, "root can become anybody");
  }

  /// The names that everybody may read: those of sockets which listen (flag 00010000).
  static std::set<std::string> listening_names() {
    std::set<std::string> names;
    std::ifstream lines("/proc/net/unix");
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string number, count, protocol, flags, type, state, inode, name;
      words >> number >> count >> protocol >> flags >> type >> state >> inode >> name;
      if (flags == "00010000" && name.starts_with("@hearsay-")) names.insert(name);
    }
    return names;
  }

  static int connected_to(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin() + 1, name.end(), address.sun_path + 1);  // a zero stands for the "@"
    const int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (connect(one, reinterpret_cast<sockaddr*>(&address), length) == 0) return one;
    close(one);
    return -1;
  }

  static std::string connect_to_all() {
    constexpr int connections_to_each = 250;
    const std::set<std::string> names = listening_names();
    std::vector<int> connections;
    for (const std::string& name : names)
      for (int k = 0; k < connections_to_each; ++k) connections.push_back(connected_to(name));
    const auto is_closed = [](int connection) {
      char heard = 0;
      return connection >= 0 && recv(connection, &heard, 1, 0) <= 0;
    };
    const auto closed = std::ranges::count_if(connections, is_closed);
    for (const int connection : connections) close(connection);
    return "of " + std::to_string(connections.size()) + " connections to " + std::to_string(names.size()) +
           " sockets " + std::to_string(closed) + " were closed without a word";
  }

  std::array<int, 2> ends_{};
  pid_t process_ = -1;
};

}  // namespace hearsay::test
