#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "algorithms/compression/packet.hpp"
#include "runtime/credentials.hpp"
#include "runtime/edge_wish.hpp"
#include "runtime/handover.hpp"
#include "runtime/handshake.hpp"
#include "runtime/link.hpp"
#include "runtime/peer.hpp"
#include "runtime/session_events.hpp"
#include "runtime/session_state.hpp"
#include "runtime/wire.hpp"

namespace hearsay {

// What the compute thread asks of the socket thread; what it hears from there: session_events.hpp.

struct SendData {
  Outgoing message;
  Instant posted;
};
/// This peer has begun an iteration without having sent anything in it yet.
struct NeedsFrom {
  std::uint64_t iteration;
};
struct TellObserver {
  Told told;
};
/// PeerSession::turn_from_observer.
struct TurnFromObserver {
  std::uint64_t completed;
};
/// To the observer and to all neighbors: the run ends now, with this exit code and sentence.
struct SayStop {
  int exit_code;
  std::string reason;
};
/// Answered by StateTold.
struct AskState {};
/// The peer is what it was before it ended: its neighbors may be greeted.
struct GoOn {
  SessionState state;
};
/// Answered by CommandsObeyed once everything before it is done.
struct AskWhenObeyed {};
/// To a neighbor that joins.
struct GiveModel {
  ModelCopy copy;
};
struct Quit {};
using SocketCommand = std::variant<SendData, NeedsFrom, EdgeWish, GiveModel, TellObserver, TurnFromObserver,
                                   SayStop, AskState, GoOn, AskWhenObeyed, Quit>;

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

/// One peer's sockets and timers, in a thread of their own: a ROUTER that hears, a DEALER for every destination and one
/// for the observer. Data frames are held here until the emulated network would have delivered them. Contains no
/// decision that matters to learning.
class PeerSockets {
 public:
  /// Binds the ROUTER ("tcp://127.0.0.1:*" takes any free port). Throws Misuse where the address cannot be had.
  PeerSockets(PeerSocketsInput input, const std::string& bind_address);
  ~PeerSockets();

  /// "tcp://127.0.0.1:41234"
  const std::string& bound_address() const;
  /// Connects, shakes hands and serves until Quit.
  void start(std::vector<Destination> destinations, const std::string& observer_address);

  Handover<SocketCommand>& commands();
  Handover<SocketEvent>& events();

  /// When something, anything, last came from there: a peer that computes or waits still sends signs of life.
  Instant last_heard_from(PeerId source) const;
  Instant last_heard_from_observer() const;

  SocketCounters counters() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace hearsay
