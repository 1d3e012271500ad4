#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "algorithms/seam/pattern.hpp"
#include "runtime/cluster/addresses.hpp"
#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/session/probe_verdict.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/zap_server.hpp"

namespace hearsay {

/// Who takes the frames of this run that are no probes.
struct OtherFrames {
  using Hear = std::function<void(const FrameHeader&, std::span<const std::byte> payload)>;
  Hear from_peer = [](const FrameHeader&, std::span<const std::byte>) {};
  Hear from_observer = [](const FrameHeader&, std::span<const std::byte>) {};
  /// At peer 0: what a peer says to the observer.
  Hear to_observer = [](const FrameHeader&, std::span<const std::byte>) {};
};

/// The sockets of a peer before a run, and at peer 0 those of the observer. They listen where the run will
/// listen, keys included, and test every connection in both directions (probe.hpp). Other frames may travel
/// over the same connections.
class ProbedConnections {
 public:
  /// Throws Misuse if an address cannot be listened at.
  ProbedConnections(const Prober& self, const Partners& peers, const NamedTopology& topology,
                    const Placement& place, const SharedCredentials& credentials,
                    const std::string& congestion);
  ~ProbedConnections();

  /// Asks what is due, waits for frames until `until` at most, and takes those that have come.
  void turn(Instant until, const OtherFrames& others = {});
  /// True once every connection has its verdict.
  bool decided() const;
  /// Tells whoever answered that all answers are here.
  void confirm();
  /// Returns the verdict on each connection, neighbors first and the observer last; looks at most two seconds
  /// for why there is none.
  std::vector<CheckedEdge> verdicts() const;

  /// Frames that were no valid ones of this run.
  std::uint64_t garbage() const { return garbage_; }

  // Send a frame of this run; sender, run id and incarnation are filled in. Return false if the connection
  // takes no more now. A destination is meant, the observer, or, at peer 0, a peer that the observer has
  // heard of.
  bool say_to_peer(PeerId to, const FrameHeader& header, const SharedBytes& payload = {});
  bool say_to_observer(const FrameHeader& header, std::span<const std::byte> payload);
  bool say_as_observer(PeerId to, const FrameHeader& header, std::span<const std::byte> payload);

  /// Returns how many bytes the connection to a destination has delivered (Monitor::delivered_bytes).
  std::optional<std::uint64_t> delivered_to(PeerId peer);

  /// The next `turn` ends as soon as the connection to this peer takes frames again.
  void wake_when_free(PeerId to) { awaited_ = to; }

 private:
  struct Listener;
  struct Call;

  void wait_until(Instant instant);
  void receive(Listener& listener, const OtherFrames::Hear& hear);
  void receive(Call& call, const OtherFrames::Hear& hear);
  std::vector<std::string> tcp_failures() const;
  Call& call_of(PeerId to);

  Prober self_;
  std::uint32_t run_id_;
  Partners peers_;
  ClusterAddresses addresses_;
  std::deque<Listener> listeners_;  // that of the peer; at peer 0 that of the observer behind it
  std::deque<Call> calls_;          // to the destinations, then to the observer
  std::optional<PeerId> awaited_;
  AbsoluteTimer timer_;
  std::uint64_t garbage_ = 0;
};

}  // namespace hearsay
