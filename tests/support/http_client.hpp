#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

namespace hearsay::test {

/// An answer over HTTP; status 0 if there is none.
struct HttpAnswer {
  int status = 0;
  std::string head;
  std::string body;
};

/// Connects to a port of this machine, and says nothing.
class IdleClient {
 public:
  explicit IdleClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
  }
  ~IdleClient() { close(fd_); }
  IdleClient(const IdleClient&) = delete;
  IdleClient& operator=(const IdleClient&) = delete;

  int fd() const { return fd_; }
  bool is_connected() const { return is_connected_; }

 private:
  int fd_;
  bool is_connected_;
};

/// Asks for a path at a port of this machine.
inline HttpAnswer http_get(std::uint16_t port, const std::string& path, std::string host = "") {
  if (host.empty()) host = "127.0.0.1:" + std::to_string(port);
  const IdleClient client(port);
  std::string text;
  if (client.is_connected()) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    std::array<char, 4096> part{};
    if (send(client.fd(), request.data(), request.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(request.size()))
      for (ssize_t bytes = 0; (bytes = recv(client.fd(), part.data(), part.size(), 0)) > 0;)
        text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  const std::size_t end = text.find("\r\n\r\n");
  if (end == text.npos || !text.starts_with("HTTP/1.1 ")) return {};
  return {std::stoi(text.substr(9, 3)), text.substr(0, end), text.substr(end + 4)};
}

}  // namespace hearsay::test
