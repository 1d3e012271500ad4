#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/security/credentials.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/network/link.hpp"
#include "runtime/session/peer_session.hpp"
#include "runtime/session/events.hpp"

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

struct PeerSocketsInput {
  PeerId self;
  std::uint32_t incarnation;  ///< tells this process from an earlier one under the same id
  Agreement agreement;
  std::uint64_t iterations;     ///< the observer must want as many
  std::vector<Source> sources;  ///< whom this peer hears, ascending
  EgressPort egress;
  IngressPort ingress;
  std::size_t payload_limit_bytes;
  std::size_t held_frames_limit;  ///< frames that may wait here for the emulated network to deliver them
  bool same_machine;              ///< all peers share one clock: due times travel as they are
  bool asynchronous;              ///< the method is
  std::uint64_t staleness = 0;    ///< as in PeerSessionInput
  Duration start_patience;        ///< how long the neighbors, then all, may take to come up
  Duration heartbeat;
  std::optional<std::vector<std::uint64_t>>
      holds;  ///< of a peer that goes on: the iterations of its checkpoints
  std::optional<std::uint64_t> largest_lead = {};  ///< as in PeerSessionInput
  std::optional<std::size_t> model_bytes = {};     ///< as in PeerSessionInput
  std::vector<PeerId> absent = {};                 ///< who is not there when the run begins, ascending
  SharedCredentials credentials = {};              ///< null: plain text
};

struct SocketCounters {
  std::uint64_t garbage;   ///< frames that were none, or did not belong here
  std::uint64_t refused;   ///< handshakes, and connections without an authorized key
  std::uint64_t gaps;      ///< times that frames were missing
  std::uint64_t repeated;  ///< frames that came again
  std::uint64_t
      retransmitted;  ///< messages sent again, because the emulated network lost them or the real one did
};

/// One peer's sockets and timers: a ROUTER that hears, a DEALER for every destination and one for the observer. Data frames are
/// held here until the emulated network would have delivered them. Contains no decision that matters to learning. Belongs to one
/// thread, which serves it whenever it has nothing better to do, and several times within a heartbeat.
class PeerSockets {
 public:
  /// Binds the ROUTER ("tcp://127.0.0.1:*" takes any free port). Throws Misuse where the address cannot be had.
  PeerSockets(PeerSocketsInput input, const std::string& bind_address);
  ~PeerSockets();

  /// "tcp://127.0.0.1:41234"
  const std::string& bound_address() const;
  /// Connects and begins to shake hands.
  void start(std::vector<Destination> destinations, const std::string& observer_address);

  /// From `start` on: where this peer says what it has to say. `carry_out` and `serve` put it on the wire.
  PeerSession& session();
  void carry_out();
  /// Sends, receives and releases what is due, and waits for more until something was heard, `until` has come (now or earlier: waits
  /// for nothing), the file descriptor `also` is readable or a signal comes.
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
