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
struct Quit {};
using SocketCommand = std::variant<SendData, TellObserver, Quit>;

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
struct RunStops {};
struct EveryPeerEnded {};
/// This peer cannot take part: exit code and a sentence.
struct TakesNoPart {
  int exit_code;
  std::string reason;
};
using SocketEvent =
    std::variant<DataArrived, RunStarts, VerdictArrived, RunStops, EveryPeerEnded, TakesNoPart>;

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
  Agreement agreement;
  std::vector<Source> sources;  ///< whom this peer hears, ascending
  EgressPort egress;
  IngressPort ingress;
  std::size_t payload_limit_bytes;
  bool same_machine;        ///< all peers share one clock: due times travel as they are
  Duration start_patience;  ///< how long to wait for the others to come up
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

  std::uint64_t garbage_frames() const;
  std::uint64_t refused_handshakes() const;
  std::uint64_t retransmissions() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace hearsay
