#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// A program of somebody else that listens at a port of loopback.
class OccupiedPort {
 public:
  /// `address`: "tcp://127.0.0.1:PORT"
  explicit OccupiedPort(const std::string& address)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ensure(::bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0 && ::listen(socket_, 1) == 0,
           "the test may listen at the port");
  }
  ~OccupiedPort() { ::close(socket_); }
  OccupiedPort(const OccupiedPort&) = delete;
  OccupiedPort& operator=(const OccupiedPort&) = delete;

 private:
  int socket_;
};

/// A bare TCP connection to a port of loopback.
class Stranger {
 public:
  /// `address`: "tcp://127.0.0.1:PORT"
  explicit Stranger(const std::string& address) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    ensure(socket_ >= 0, "the test may open as many sockets");
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&target), sizeof target) == 0;
  }
  ~Stranger() {
    if (socket_ >= 0) close(socket_);
  }
  Stranger(Stranger&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  Stranger& operator=(Stranger&&) = delete;

  bool connected() const { return connected_; }

  void say(std::string_view bytes) const {
    [[maybe_unused]] const auto sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  /// Reads until the other side closes the connection. False if it does not within half a minute.
  bool is_thrown_out() const {
    std::string heard(4096, '\0');
    for (;;) {
      pollfd polled{socket_, POLLIN, 0};
      if (poll(&polled, 1, 30'000) <= 0) return false;
      if (recv(socket_, heard.data(), heard.size(), 0) <= 0) return true;
    }
  }

 private:
  int socket_;
  bool connected_;
};

/// Returns the greeting of ZMTP 3.0 without security, and the first command, as a DEALER sends them.
inline std::string zmtp_greeting() {
  using namespace std::string_literals;
  std::string mechanism = "NULL";
  mechanism.resize(20);
  const std::string properties = "\x0bSocket-Type\0\0\0\x06"s + "DEALER" + "\x08Identity\0\0\0\0"s;
  const std::string ready = "\x05READY" + properties;
  return "\xff\0\0\0\0\0\0\0\x01\x7f\x03\0"s + mechanism + std::string(32, '\0') + '\x04' +
         static_cast<char>(ready.size()) + ready;
}

/// Returns the beginning of a ZMTP message that claims to have `bytes` bytes.
inline std::string zmtp_announcement(std::uint64_t bytes) {
  std::string text = "\x02";
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bytes >> shift & 255);
  return text;
}

}  // namespace hearsay::test
