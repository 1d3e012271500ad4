#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "algorithms/compression/packet.hpp"
#include "runtime/handover.hpp"
#include "runtime/handshake.hpp"
#include "runtime/link.hpp"
#include "runtime/peer.hpp"
#include "runtime/wire.hpp"

namespace hearsay {

// What the compute thread asks of the socket thread ...

struct SendData {
  Outgoing message;
  Instant posted;
};
/// To the observer; `payload` may be empty.
struct TellObserver {
  FrameKind kind;
  std::uint64_t iteration;
  std::vector<std::byte> payload;
};
/// To the observer and to all neighbors: the run ends now, with this exit code and sentence.
struct SayStop {
  int exit_code;
  std::string reason;
};
/// Answered by CommandsObeyed once everything before it is done.
struct AskWhenObeyed {};
struct Quit {};
using SocketCommand = std::variant<SendData, TellObserver, SayStop, AskWhenObeyed, Quit>;

// ... and what it hears from there.

struct DataArrived {
  MessageKey key;
  PacketRef packet;
};
struct RunStarts {
  Instant origin;
};
struct VerdictArrived {
  std::uint64_t evaluated;
  bool go_on;
};
/// The run ends early; `exit_code` and `reason` where something went wrong somewhere.
struct RunStops {
  int exit_code;
  std::string reason;
};
/// With the exit code of the run: 0, 4 (diverged) or 130 (interrupted).
struct EveryPeerEnded {
  int exit_code;
};
struct CommandsObeyed {};
/// This peer cannot take part: exit code and a sentence.
struct TakesNoPart {
  int exit_code;
  std::string reason;
};
/// From the thread that computes gradients while the compute thread listens: in the same queue, so that one wait serves both.
struct GradientComputed {};
using SocketEvent = std::variant<DataArrived, RunStarts, VerdictArrived, RunStops, EveryPeerEnded,
                                 CommandsObeyed, TakesNoPart, GradientComputed>;

struct Destination {
  PeerId id;
  std::string address;
  Link link;
};

struct Source {
  PeerId id;
  Bandwidth arrival;  ///< rate at which its bytes come in (link.hpp)
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
  Duration start_patience;        ///< how long the neighbors, then all, may take to come up
};

struct SocketCounters {
  std::uint64_t garbage;          ///< frames that were none, or did not belong here
  std::uint64_t refused;          ///< handshakes
  std::uint64_t retransmissions;  ///< emulated
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
