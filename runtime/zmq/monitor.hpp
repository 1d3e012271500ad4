#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

namespace hearsay {

/// How a handshake of ZeroMQ itself, below all frames, came to nothing.
enum class FailedHandshake {
  broken_off,      ///< the other side is gone, or said nothing for too long; it will be tried again
  keyless,         ///< one side has keys, the other has none
  wrong_protocol,  ///< the other side is no peer, or proves to own another key than it should
  refused,         ///< the other side does not let this key in
};

/// Hears of the handshakes of one socket that fail. ZeroMQ's own thread waits where nobody listens: whoever has a monitor
/// asks it again and again.
class Monitor {
 public:
  /// In the thread that has the socket; `name` is the monitor's own in this context.
  Monitor(zmq::context_t& context, zmq::socket_t& watched, const std::string& name);
  /// The same, while the socket still lives.
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// The next one, if there is one.
  std::optional<FailedHandshake> next();
  /// To be polled for ZMQ_POLLIN.
  void* handle() { return events_.handle(); }

 private:
  void* watched_;
  zmq::socket_t events_;
};

}  // namespace hearsay
