#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/network/egress.hpp"
#include "runtime/network/hold_queue.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/evaluation_frame_bytes.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The ways between a peer and the observer, if the emulated network shapes evaluations.
struct ObserverWays {
  Link to;               ///< to the observer
  ArrivalRate incoming;  ///< the rate at which its bytes arrive
  EvaluationFrameBytes bytes;
};

/// What a peer sends the observer and hears of it through the emulated network: the side of the peer; that of
/// the observer is ObserverPort. The ports are those of the peer's messages. Pure: it is given the time.
class ObserverLane {
 public:
  explicit ObserverLane(ObserverWays ways) : ways_(std::move(ways)) {}

  /// Completes the header of a frame to the observer: an evaluation or an answer says when it is due, a
  /// heartbeat that a verdict which is on the way is not missing.
  void complete(FrameHeader& header, Egress& egress, Instant now);

  /// True for a verdict or a question that is not here yet in the emulated network.
  bool holds(const FrameHeader& word) const {
    return is_from_observer(word) && is_on_the_way(word.iteration) &&
           (word.kind == FrameKind::verdict || word.kind == FrameKind::question);
  }
  /// Puts such a frame into the queue. Drops it if very many are in there: what is missing comes again.
  void hold(const FrameHeader& word, PacketRef payload, Instant now, HoldQueue& queue);
  /// The queue has released the frame.
  void release(const FrameHeader& word);
  /// How many are in the queue.
  std::size_t held() const { return held_; }

 private:
  static constexpr std::size_t most_held = 16;

  ObserverWays ways_;
  std::size_t held_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::vector<std::uint64_t> verdicts_;  // that are held, by the iteration of the evaluation
};

}  // namespace hearsay
