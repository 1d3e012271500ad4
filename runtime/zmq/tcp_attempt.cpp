#include "runtime/zmq/tcp_attempt.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/cluster/address.hpp"

namespace hearsay {

namespace {

/// A connection attempt under way, or how it failed.
struct Attempt {
  int fd = -1;
  std::string failure;
};

std::string tcp_error_meaning(int error) {
  if (error == 0) return {};
  if (error == ECONNREFUSED)
    return "connection refused: nobody listens there; is it not started yet, or at another port?";
  if (error == EHOSTUNREACH || error == ENETUNREACH)
    return std::string(std::strerror(error)) + ": is the address right?";
  return std::strerror(error);
}

Attempt begin(const std::string& address) {
  const auto [host, port, in_brackets] = Address::parse(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0)
    return {-1, "the name " + host + " is not known here (" + gai_strerror(error) + ")"};
  Attempt attempt;
  attempt.fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (attempt.fd < 0)
    attempt.failure = std::strerror(errno);
  else if (connect(attempt.fd, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)
    attempt.failure = tcp_error_meaning(errno);
  freeaddrinfo(found);
  return attempt;
}

}  // namespace

std::vector<std::string> failures_to_connect(const std::vector<std::string>& addresses, Duration patience) {
  std::vector<Attempt> attempts;
  std::vector<std::size_t> counts;  // of the IP addresses of each
  for (const std::string& address : addresses) {
    const std::vector<DialedAddress> dialed = addresses_to_dial(address);
    counts.push_back(dialed.size());
    for (const DialedAddress& each : dialed) attempts.push_back(begin(each.text));
  }
  const int patience_ms =
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
  bool time_is_over = false;
  for (Attempt& attempt : attempts) {
    if (attempt.failure.empty()) {
      // All attempts run at the same time, so the wait for an earlier one has been time for the later ones.
      pollfd polled{attempt.fd, POLLOUT, 0};
      int error = 0;
      socklen_t length = sizeof error;
      if (poll(&polled, 1, time_is_over ? 0 : patience_ms) <= 0) {
        time_is_over = true;
        attempt.failure = "no answer from that address: is it right, and is there a firewall?";
      } else if (getsockopt(attempt.fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0) {
        attempt.failure = tcp_error_meaning(error);
      }
    }
    if (attempt.fd >= 0) close(attempt.fd);
  }
  std::vector<std::string> failures;
  auto next = attempts.begin();
  for (const std::size_t count : counts) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    const auto one_answers = std::ranges::find(next, end, std::string(), &Attempt::failure);
    failures.push_back(one_answers == end ? next->failure : "");
    next = end;
  }
  return failures;
}

}  // namespace hearsay
