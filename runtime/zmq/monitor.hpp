#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <zmq.hpp>

namespace hearsay {

/// Why a handshake of ZeroMQ (ZMTP), which precedes all frames, has failed.
enum class FailedHandshake {
  broken_off,      ///< the other side is gone, or was silent for too long; ZeroMQ tries again
  keyless,         ///< one side has keys, the other has none
  wrong_protocol,  ///< the other side speaks another protocol, or does not own the expected key
  refused,         ///< the other side has not authorized this key
  unreached,       ///< nobody has answered at the address; ZeroMQ tries again
};

/// Whether a monitor reports attempts that reached nobody.
enum class Attempts { untold, told };

/// Reports the failed handshakes of one socket, and what its connection still has to send. Call `next` often:
/// a thread of ZeroMQ waits until its reports are read.
class Monitor {
 public:
  using OnConnection = std::function<void(int descriptor)>;
  /// Must be made in the thread that owns the socket. `next` calls
  /// `on_connection` for every connection that the socket has opened, and when it listens. The descriptor
  /// belongs to ZeroMQ, which may have closed it meanwhile.
  Monitor(
      zmq::context_t& context, zmq::socket_t& watched, Attempts attempts = Attempts::untold,
      OnConnection on_connection = [](int) {});
  /// Must be destroyed in the same thread, while the socket still lives.
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  struct Report {
    FailedHandshake failure;
    std::string place;  ///< the address at which it happened
  };
  /// Returns the next failure; nothing if there is none. Does not wait.
  std::optional<Report> next();
  /// Returns how many bytes of the newest connection that the socket has opened wait in the kernel to be
  /// sent. It is 0 if there is none, as far as `next` has been told. Until `next` is told of a connection's
  /// end, the number may be that of another one.
  std::uint64_t unsent_bytes() const;
  /// Returns how many bytes the newest connection has delivered, those included that came behind lost ones;
  /// empty if there is none, or the kernel does not say. Otherwise as `unsent_bytes`.
  std::optional<std::uint64_t> delivered_bytes() const;
  /// True if the socket has opened a connection, as far as `next` has been told.
  bool is_connected() const { return connection_ != no_connection; }
  /// Returns the descriptor of the newest one; empty if there is none. Otherwise as `unsent_bytes`.
  std::optional<int> connection() const { return is_connected() ? std::optional(connection_) : std::nullopt; }
  /// Returns the handle to poll for ZMQ_POLLIN.
  void* handle() { return events_.handle(); }

 private:
  void* watched_;
  zmq::socket_t events_;
  OnConnection on_connection_;
  static constexpr int no_connection = -1;
  int connection_ = no_connection;  // file descriptor, which belongs to ZeroMQ
};

}  // namespace hearsay
