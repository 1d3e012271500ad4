#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

namespace hearsay {

/// Why a handshake of ZeroMQ itself, below all frames, failed.
enum class FailedHandshake {
  broken_off,      ///< the other side is gone, or was silent for too long; ZeroMQ tries again
  keyless,         ///< one side has keys, the other has none
  wrong_protocol,  ///< the other side is no peer, or owns another key than it should
  refused,         ///< the other side does not let this key in
};

/// Reports the failed handshakes of one socket. Its owner must call `next` often, since ZeroMQ's own thread
/// waits until its reports are read.
class Monitor {
 public:
  /// To be made in the thread that owns the socket; `name` is unique in the context.
  Monitor(zmq::context_t& context, zmq::socket_t& watched, const std::string& name);
  /// To be destroyed in the same thread, while the socket still lives.
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// The next failure, if there is one.
  std::optional<FailedHandshake> next();
  /// The handle to poll for ZMQ_POLLIN.
  void* handle() { return events_.handle(); }

 private:
  void* watched_;
  zmq::socket_t events_;
};

}  // namespace hearsay
