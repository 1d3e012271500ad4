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
#include "runtime/network/ends_of_connection.hpp"
#include "runtime/network/pace.hpp"
#include "runtime/network/port_shares.hpp"
#include "runtime/zmq/dialing.hpp"
#include "runtime/zmq/monitor.hpp"

namespace hearsay {

/// Connects DEALERs, gives their connections the wanted congestion control and pace, and notices that another
/// peer refuses the connections of this one. ZeroMQ itself says nothing and tries again forever, so the peer
/// would wait without a reason.
class HandshakeWatch {
 public:
  /// `congestion`: network.congestion. `port`: network.pace.
  HandshakeWatch(bool has_keys, std::string congestion, Bandwidth port = {})
      : has_keys_(has_keys), congestion_(std::move(congestion)) {
    if (!port.unlimited()) shares_.emplace(payload_rate(port));
  }

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

  /// The `place`-th DEALER connected here is given so many bytes to send. Within a machine nothing is paced.
  void gives(std::size_t place, std::uint64_t bytes, Instant now) {
    if (shares_ && watched_[place].leaves_machine) shares_->give(place, bytes, now);
  }
  /// It is given all that it still has to send once more.
  void begins_anew(std::size_t place) {
    if (shares_) shares_->forget(place);
  }
  /// Paces the connections by their shares of the port. Call it after `gives`, and at `next_pace`.
  void pace_connections(Instant now);
  Instant next_pace() const { return shares_ ? shares_->next() : Instant::max(); }

  /// Returns what the `place`-th DEALER connected here still has to send (Monitor::unsent_bytes).
  std::uint64_t unsent_bytes(std::size_t place) const { return watched_[place].monitor.unsent_bytes(); }

  /// Returns what it has delivered (Monitor::delivered_bytes).
  std::optional<std::uint64_t> delivered_bytes(std::size_t place) const {
    return watched_[place].monitor.delivered_bytes();
  }

  /// Returns the congestion control of its newest connection, and whether that is paced: "cubic, paced"; an
  /// empty text if it had none yet.
  std::string congestion(std::size_t place) const {
    const Watched& watched = watched_[place];
    return watched.congestion + (watched.leaves_machine && !watched.share.unlimited() ? ", paced" : "");
  }

 private:
  struct Watched {
    Watched(std::string name_of_server, zmq::context_t& context, zmq::socket_t& dealer,
            const std::string& address, const std::string& wanted_congestion, bool is_paced)
        : server(std::move(name_of_server)),
          dialing(dealer, address),
          monitor(context, dealer, dialing.has_a_choice() ? Attempts::told : Attempts::untold,
                  [this, &wanted_congestion, is_paced](int connection) {
                    congestion = set_congestion(connection, wanted_congestion, is_paced);
                    far = far_end(connection);
                    leaves_machine = !far.empty() && !stays_here(connection);
                    if (leaves_machine && !share.unlimited()) pace(connection, share);
                  }) {}
    std::string server;
    Dialing dialing;
    // Of the newest connection:
    std::string congestion;       // empty if it was over at once
    bool leaves_machine = false;  // false, too, before there is one
    std::string far;              // its far end; empty if it was over at once
    Bandwidth share;              // at which it is paced; unlimited: not yet
    Monitor monitor;
    int breaks = 0;  // connections that the server has broken off
  };
  std::string doubt_about(const std::string& server) const;
  std::string sentence(const std::string& server, FailedHandshake failure) const;

  bool has_keys_;
  std::string congestion_;
  std::optional<PortShares> shares_;  // empty: nothing is paced
  bool doubts_ = false;
  std::optional<std::string> refusal_;
  Instant ripe_at_{};
  Instant looks_at_{};
  std::deque<Watched> watched_;
};

}  // namespace hearsay
