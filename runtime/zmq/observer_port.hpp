#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/network/egress.hpp"
#include "runtime/network/hold_queue.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/evaluation_frame_bytes.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The observer as a host of the emulated network that shapes evaluations.
struct ObserverNetwork {
  EgressPort egress;
  IngressPort ingress;
  std::vector<Link> links;            ///< to the peers, by id
  std::vector<ArrivalRate> arrivals;  ///< from the peers, by id
  EvaluationFrameBytes bytes;
  bool same_machine;  ///< as in Egress
};

/// Returns it; nothing if evaluations are free.
template <class Scalar>
std::optional<ObserverNetwork> observer_network(const Experiment<Scalar>& experiment, bool same_machine);

/// The port of the observer in the emulated network. Holds evaluations and answers until they have come, and
/// says when verdicts and questions are due. A result waits behind the evaluations before it, and takes no
/// room in the port. Pure: it is given the time.
class ObserverPort {
 public:
  explicit ObserverPort(ObserverNetwork network);

  /// The run begins. Must be called before anything is held or sent.
  void begin(Instant start_of_run);

  /// True if the frame is not here yet in the emulated network.
  bool holds(const FrameHeader& header) const;
  /// Holds such a frame. A peer may have eight frames on the way; further ones are dropped, and come again.
  void hold(const FrameHeader& header, PacketRef payload, Instant now);
  enum class Which { due, all };
  /// Returns the frames that have come by `now`, or all that are held, in order.
  std::vector<HoldQueue::Held> released(Instant now, Which which);
  /// Returns when `released` must be called next; Instant::max() if nothing is held.
  Instant next() const { return hold_.next(); }
  /// When the last evaluation or answer has come; empty if none has.
  std::optional<Instant> last_come() const { return last_come_; }

  /// Completes a heartbeat to process `incarnation` of peer `to`: what is on the way from it is not missing.
  void complete(FrameHeader& alive, PeerId to, std::uint32_t incarnation) const;
  /// Writes into the header of a verdict or question to that process when it is due. False if the same
  /// question is still on its way there: it need not be sent again.
  bool send(FrameHeader& header, PeerId to, std::uint32_t incarnation, Instant now);

 private:
  static constexpr std::size_t most_held = 8;
  struct PeerWays {
    Link to;
    ArrivalRate arrival;
    std::deque<FrameHeader> held = {};    // on the way from the peer, in order
    Instant last_due = Instant::min();    // of those
    std::uint64_t asked = 0;              // the evaluation of the last question
    std::uint32_t asked_incarnation = 0;  // the process to which it went
    Instant question_due = Instant::min();
  };

  Egress egress_;
  HoldQueue hold_;
  std::vector<PeerWays> peers_;
  EvaluationFrameBytes bytes_;
  std::uint64_t next_sequence_ = 0;
  std::optional<Instant> last_come_;
};

}  // namespace hearsay
