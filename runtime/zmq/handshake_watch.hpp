#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <zmq.hpp>

#include "runtime/foundation/units.hpp"
#include "runtime/zmq/monitor.hpp"

namespace hearsay {

/// Notices that another peer does not let this one in. ZeroMQ itself would say nothing, and the peer would
/// wait in silence.
class HandshakeWatch {
 public:
  explicit HandshakeWatch(bool has_keys) : has_keys_(has_keys) {}

  /// To be called before the DEALER connects; `server` is its name for messages: "peer 2
  /// (tcp://10.0.0.2:7000)". The DEALER must outlive this object.
  void watch(zmq::context_t& context, zmq::socket_t& dealer, const std::string& server);

  struct News {
    /// Why one of the servers will never let this peer in. If one side has keys and the other has none,
    /// either side may notice first. It then waits a moment before it says so: the other side, which keeps
    /// trying, notices, too.
    std::optional<std::string> refusal;
    /// Given the first time that a server breaks a connection off: the end of a sentence that says that it
    /// did not come up.
    std::optional<std::string> doubt;
  };
  /// To be called often.
  News look(Instant now);

 private:
  struct Watched {
    Watched(std::string name_of_server, zmq::context_t& context, zmq::socket_t& dealer,
            const std::string& name)
        : server(std::move(name_of_server)), monitor(context, dealer, name) {}
    std::string server;
    Monitor monitor;
  };
  std::string doubt_about(const std::string& server) const;
  std::string sentence(const std::string& server, FailedHandshake failure) const;

  bool has_keys_;
  bool doubts_ = false;
  std::optional<std::string> refusal_;
  Instant ripe_at_{};
  std::deque<Watched> watched_;
};

}  // namespace hearsay
