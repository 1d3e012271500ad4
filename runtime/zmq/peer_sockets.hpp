#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/network/link.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/session/events.hpp"
#include "runtime/session/peer_session.hpp"

namespace hearsay {

struct Destination {
  PeerId id;
  std::string address;
  Link link;
};

struct Source {
  PeerId id;
  ArrivalRate arrival;  ///< rate at which its bytes come in (link.hpp)
};

struct SocketInput {
  PeerId self;
  std::uint32_t run_id;         ///< of the run's frames
  std::vector<Source> sources;  ///< whom this peer hears, ascending
  EgressPort egress;
  IngressPort ingress;
  std::size_t payload_limit_bytes;
  std::size_t held_frames_limit;       ///< frames that may wait here for the emulated network to deliver them
  bool same_machine;                   ///< all peers share one clock: due times travel as they are
  SharedCredentials credentials = {};  ///< null: plain text
};

/// What the sockets have seen; the session counts the rest (PeerSession::Counters).
struct SocketCounters {
  std::uint64_t garbage;          ///< frames that were none, or did not belong here
  std::uint64_t refused;          ///< connections without an authorized key
  std::uint64_t emulated_losses;  ///< messages sent again, because the emulated network lost them
};

/// One peer's sockets and timers: a ROUTER that hears, a DEALER for every destination and one for the
/// observer. Data frames are held here until the emulated network would have delivered them. Contains no
/// decision that matters to learning. Belongs to one thread, which serves it whenever it has nothing
/// better to do, and several times within a heartbeat.
class PeerSockets {
 public:
  /// Binds the ROUTER ("tcp://127.0.0.1:*" takes any free port). Throws Misuse where the address cannot
  /// be had.
  PeerSockets(SocketInput input, const std::string& bind_address);
  ~PeerSockets();

  /// "tcp://127.0.0.1:41234"
  const std::string& bound_address() const;
  /// Connects to the destinations (ascending) and to the observer; begins the session. From then on what
  /// comes in goes to the session, and what it says goes out: with `serve`, or at once with `carry_out`.
  /// The session is not used any more by the destructor.
  void start(PeerSession& session, std::vector<Destination> destinations,
             const std::string& observer_address);
  void carry_out();
  /// Sends, receives and releases what is due, and waits for more until something new was heard, `until`
  /// has come (now or earlier: waits for nothing), the file descriptor `also` is readable or a signal
  /// comes.
  void serve(Instant until, int also = -1);
  /// What was heard, in order; the caller takes it out.
  std::vector<SocketEvent>& events();

  /// When something, anything, last came from there: a peer that computes or waits still sends signs of life.
  Instant last_heard_from(PeerId source) const;
  Instant last_heard_from_observer() const;

  SocketCounters counters() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace hearsay
