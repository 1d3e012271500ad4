#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <zmq.hpp>

#include "runtime/foundation/units.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/network/pace.hpp"
#include "runtime/zmq/dialing.hpp"
#include "runtime/zmq/monitor.hpp"

namespace hearsay {

/// Connects DEALERs, gives their connections the wanted congestion control and pace, and notices that another
/// peer refuses the connections of this one. ZeroMQ itself says nothing and tries again forever, so the peer
/// would wait without a reason.
class HandshakeWatch {
 public:
  /// `congestion`: network.congestion. `paced`: how fast a connection to another host may send.
  HandshakeWatch(bool has_keys, std::string congestion, Bandwidth paced = {})
      : has_keys_(has_keys), congestion_(std::move(congestion)), paced_(paced) {}

  /// Connects `dealer` to `address`, and watches its handshakes. If the address is a name with several IP
  /// addresses, each that does not answer makes room for the next one. The DEALER must outlive this object.
  /// `server` is its name for messages: "peer 2 (tcp://10.0.0.2:7000)". Misuse if the address is invalid.
  void connect(zmq::context_t& context, zmq::socket_t& dealer, const std::string& server,
               const std::string& address);

  struct News {
    /// Why one of the servers will never let this peer in; empty if there is no such server. If one side has
    /// keys and the other has none, this text comes one second later: the other side, which keeps trying,
    /// notices in that time, too.
    std::optional<std::string> refusal;
    /// Set only once, if a server has broken off connections more than once: the end of a sentence that says
    /// that the server did not come up. It begins with "; ".
    std::optional<std::string> doubt;
  };
  /// Must be called often (see Monitor). Looks every 100 ms, without a pause while a server is not reached
  /// yet; there are no news in between.
  News look(Instant now);

  /// Returns what the `place`-th DEALER connected here still has to send (Monitor::unsent_bytes).
  std::uint64_t unsent_bytes(std::size_t place) const { return watched_[place].monitor.unsent_bytes(); }

  /// Returns what it has delivered (Monitor::delivered_bytes).
  std::optional<std::uint64_t> delivered_bytes(std::size_t place) const {
    return watched_[place].monitor.delivered_bytes();
  }

  /// Returns the congestion control of its newest connection; an empty text if it had none yet.
  const std::string& congestion(std::size_t place) const { return watched_[place].congestion; }

 private:
  struct Watched {
    Watched(std::string name_of_server, zmq::context_t& context, zmq::socket_t& dealer,
            const std::string& name, const std::string& address, const std::string& wanted_congestion,
            Bandwidth paced)
        : server(std::move(name_of_server)),
          dialing(dealer, address),
          monitor(context, dealer, name, dialing.has_a_choice() ? Attempts::told : Attempts::untold,
                  [this, &wanted_congestion, paced](int connection) {
                    congestion = set_congestion(connection, wanted_congestion);
                    pace(connection, paced);
                  }) {}
    std::string server;
    Dialing dialing;
    std::string congestion;  // of the newest connection; empty if it was over at once
    Monitor monitor;
    int breaks = 0;  // connections that the server has broken off
  };
  std::string doubt_about(const std::string& server) const;
  std::string sentence(const std::string& server, FailedHandshake failure) const;

  bool has_keys_;
  std::string congestion_;
  Bandwidth paced_;
  bool doubts_ = false;
  std::optional<std::string> refusal_;
  Instant ripe_at_{};
  Instant looks_at_{};
  std::deque<Watched> watched_;
};

}  // namespace hearsay
