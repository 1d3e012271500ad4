#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/foundation/availability.hpp"
#include "runtime/foundation/bandwidth_trace.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// The emulated network: a pure function of the time that it is given, so the simulator and the real sockets
// share it. A frame of b wire bytes that peer i hands to its port at `now` passes four stages, each a FIFO:
//
//     egress    start   = max(now, egress_free)                            one port for all links of a peer
//               end     = start + b / up;  egress_free = end
//     own rate  end     = max(end, max(start, link_free) + b / own)        only if the link has a bandwidth
//               link_free = end
//     flight    due     = max(due of the frame before, end + latency + jitter + losses x time-out)
//     ingress   release = max(due, max(ingress_free, due - b / fed) + b / down);  ingress_free = release
//
// A bandwidth of 0 is unlimited: b / bandwidth is 0. A stage forwards bytes as they come; it does not wait
// for the last byte. The first byte reaches the receiver at due - b / fed, `fed` being the slower of `up` and
// `own`. So a frame between two equal idle ports takes b / up once, not twice.
//
// If a port has a bandwidth trace, b / up and b / down are the times that b bytes take from that instant on,
// by the integral of the trace. b / fed is then the time of the b bytes that ended at due - latency: the
// receiver knows the trace of the sender, but not jitter and losses of the frame. Traces count from the start
// of the run (`begin`); in virtual time the run starts at 0.
//
// If a peer is not always there (topology.availability), its port sends and hands over nothing while it is
// away: `start` and `release` are put off until it is back. The port finishes a frame whose first byte it has
// sent, and takes in what comes meanwhile: `egress_free` and `ingress_free` are not put off.
//
// Jitter is uniform on the whole nanoseconds of [0, jitter]. No frame is due before the one in front of it,
// so a link does not reorder frames; nor does TCP. A lost message costs one constant time-out of max(200 ms,
// 3 x latency) (200 ms is the minimum of Linux; there is no exponential backoff). The retransmission may be
// lost again, so `losses` is geometric. A loss costs time but no egress bytes: TCP retransmits one segment, a
// small part of a message. Times are limited to 2^62 - 1 ns.

/// The observer in the emulated network, if that shapes evaluations (network.evaluations): a host with a port
/// of its own, under the first id that no peer has. So its network is the common one, its links to the peers
/// have the latency, jitter and loss of that, and no override names them.
inline PeerId observer_id(PeerId peer_count) { return peer_count; }

/// True if the run file describes a network, which says when frames are due.
bool is_emulated(const RunSettings& settings);

/// True if bytes pass at once. Most runs of many peers have such ports, so it is asked before all else.
inline bool takes_no_time(const PortRate& rate) { return rate.trace.empty() && rate.constant.unlimited(); }

/// The rate at which the bytes of a link reach the port of the receiver, `fed` above: the slower of the
/// egress port of the sender and the bandwidth of the link.
struct ArrivalRate {
  ArrivalRate(PortRate sender, Bandwidth link = {}, Duration link_latency = {})
      : up(std::move(sender)), own(link), latency(link_latency) {}
  ArrivalRate(Bandwidth sender = {}) : up(sender) {}

  PortRate up;
  Bandwidth own;
  Duration latency{0};  ///< of the link

  /// How long `bytes` took that are due at `due`, a time since the start of the run.
  Duration time_until(Duration due, std::uint64_t bytes) const {
    if (takes_no_time(up) && own.unlimited()) return Duration{0};
    return std::max(up.time_until(due - latency, bytes), own.time_for(bytes));
  }
};
ArrivalRate arrival_rate(const RunSettings& settings, PeerId from, PeerId to);

/// The two rates of the port of a peer.
PortRate sending_rate(const NetworkSettings& network);
PortRate receiving_rate(const NetworkSettings& network);

/// Returns the bytes on the wire of a frame of `frame_bytes` (header and payload). Framing::ethernet adds 66
/// bytes (Ethernet 14, IPv4 20, TCP with timestamps 32) for each segment of up to 1,448 bytes, as the
/// counters of the kernel do.
std::uint64_t wire_bytes(Framing framing, std::uint64_t frame_bytes);

/// When and how a frame travels, as the side of the sender computes it.
struct Departure {
  Instant due;             ///< when the last byte reaches the receiver's port
  std::uint64_t sequence;  ///< number of the frame on its link, from 0
  std::uint32_t losses;    ///< how often the frame was lost on the way
};

/// A directed link between two ports.
class Link {
 public:
  Link(std::uint64_t run_seed, PeerId from, PeerId to, const LinkSettings& settings);

  /// Returns jitter and losses of frame number `sequence`. They are drawn from the stream keyed by (run seed,
  /// link, sequence), so they depend neither on time nor on the frames before.
  struct LinkDraw {
    Duration jitter{0};
    std::uint32_t losses = 0;
    bool operator==(const LinkDraw&) const = default;
  };
  LinkDraw draw(std::uint64_t sequence) const;
  Duration retransmission_timeout() const;

  /// Carries the next frame. Its first byte leaves the port of the sender at `start`, its last byte at `end`.
  Departure carry(Instant start, Instant end, std::uint64_t bytes_on_wire);
  /// When the frame that was carried last is due.
  Instant last_due() const { return previous_due_; }

 private:
  LinkSettings settings_;
  PeerId from_;
  std::uint64_t stream_seed_;
  std::uint64_t next_sequence_ = 0;
  Instant free_ = Instant::min();
  Instant previous_due_ = Instant::min();
};

/// The sending side of the port of a peer: frames leave one after the other, in the order of the calls.
class EgressPort {
 public:
  EgressPort(PortRate up, Framing framing, Availability availability = {})
      : up_(std::move(up)), framing_(framing), availability_(std::move(availability)) {}

  /// The run begins. Must be called before anything is sent.
  void begin(Instant start_of_run) { begin_ = start_of_run; }
  Departure send(Instant now, std::uint64_t frame_bytes, Link& link);

 private:
  PortRate up_;
  Framing framing_;
  Availability availability_;
  Instant begin_{};
  Instant free_ = Instant::min();
};

/// Computes for the record how long a port is busy sending.
class SendingTime {
 public:
  SendingTime(PortRate up, Framing framing, Availability availability = {})
      : up_(std::move(up)), framing_(framing), availability_(std::move(availability)) {}

  /// Returns how long the bytes of a frame take once the frames before it are through. The frame is handed to
  /// the port `since_start` after the start of the run.
  Duration of(Duration since_start, std::uint64_t frame_bytes);
  /// When the port is through with all frames so far, counted from the start of the run.
  Instant through() const { return free_; }

 private:
  PortRate up_;
  Framing framing_;
  Availability availability_;
  Instant free_{};  // counted from the start of the run
};

/// The receiving side of the port of a peer.
class IngressPort {
 public:
  IngressPort(PortRate down, Framing framing, Availability availability = {})
      : down_(std::move(down)), framing_(framing), availability_(std::move(availability)) {}

  /// The run begins. Must be called before anything is received.
  void begin(Instant start_of_run) { begin_ = start_of_run; }

  /// Returns when the peer may see a frame that is due at `due` and came at the rate `fed`. Must be called in
  /// the order of due times (ties by sender, then sequence); frames are released in the order of the calls.
  Instant release(Instant due, std::uint64_t frame_bytes, const ArrivalRate& fed);
  /// When the port began to receive the frame that was released last, and when it had it; it may wait for
  /// the peer then.
  Instant began() const { return began_; }
  Instant ended() const { return free_; }

 private:
  PortRate down_;
  Framing framing_;
  Availability availability_;
  Instant begin_{};
  Instant began_{};
  Instant free_ = Instant::min();
};

}  // namespace hearsay
