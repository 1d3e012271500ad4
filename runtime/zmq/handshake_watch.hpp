#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <zmq.hpp>

#include "runtime/foundation/units.hpp"
#include "runtime/zmq/monitor.hpp"

namespace hearsay {

/// Notices that another peer refuses the connections of this one. ZeroMQ itself says nothing and tries again
/// forever, so the peer would wait without a reason.
class HandshakeWatch {
 public:
  explicit HandshakeWatch(bool has_keys) : has_keys_(has_keys) {}

  /// Watches the handshakes of `dealer`. Must be called before the DEALER connects; the DEALER must outlive
  /// this object. `server` is its name for messages: "peer 2 (tcp://10.0.0.2:7000)".
  void watch(zmq::context_t& context, zmq::socket_t& dealer, const std::string& server);

  struct News {
    /// Why one of the servers will never let this peer in; empty if there is no such server. If one side has
    /// keys and the other has none, this text comes one second later: the other side, which keeps trying,
    /// notices in that time, too.
    std::optional<std::string> refusal;
    /// Set only once, the first time that a server breaks a connection off: the end of a sentence that says
    /// that the server did not come up. It begins with "; ".
    std::optional<std::string> doubt;
  };
  /// Must be called often (see Monitor).
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
