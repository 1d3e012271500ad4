#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/session/peer_session.hpp"
#include "runtime/zmq/socket_input.hpp"

namespace hearsay {

/// Counters of the sockets; the session has further ones (SessionContext::Counters).
struct SocketCounters {
  std::uint64_t garbage;          ///< invalid frames, and frames that do not belong here
  std::uint64_t refused;          ///< connections without an authorized key
  std::uint64_t emulated_losses;  ///< transmissions that the emulated network lost
};

/// The sockets and timers of one peer: a ROUTER for its sources, a DEALER for every destination and one for
/// the observer. Data frames are held here until the emulated network would have delivered them; so are
/// verdicts and questions, if it shapes evaluations. Nothing here decides what the peer learns.
///
/// Belongs to one thread. The thread must call `serve` several times within a heartbeat.
class PeerSockets {
 public:
  /// Binds the ROUTER ("tcp://127.0.0.1:*" takes any free port). Throws Misuse if the address is not
  /// available.
  PeerSockets(SocketInput input, const std::string& bind_address);
  ~PeerSockets();

  /// The address that the ROUTER is bound to: "tcp://127.0.0.1:41234".
  const std::string& bound_address() const;
  /// Connects to the destinations (ascending) and to the observer, and begins the session. From then on
  /// received frames go to the session, and the frames of the session are sent: by `serve`, or at once by
  /// `carry_out`. The destructor does not use the session.
  void start(PeerSession& session, std::vector<Destination> destinations,
             const std::string& observer_address);
  void carry_out();
  /// Sends, receives, and releases frames that are due. Waits until the session has a new event, the instant
  /// `until` has come (an instant in the past: does not wait), the file descriptor `also` is readable, or a
  /// signal comes.
  void serve(Instant until, int also = -1);
  SocketCounters counters() const;
  /// Returns which congestion controls the connections to the destinations have: the names, ascending.
  std::vector<std::string> congestions() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace hearsay
