#pragma once

#include <cstdint>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/peer_id.hpp"

// The words of a survey (`hearsay check --connect --measure`), which measures the link between any two peers.

namespace hearsay {

/// From the observer to all: a step of the survey begins, in which the receiver measures what one peer sends
/// it.
struct Measure {
  static constexpr FrameKind kind = FrameKind::measure;
  std::uint64_t step = 0;   ///< number of the step, from 0
  std::uint32_t steps = 0;  ///< how many there are
  PeerId from = 0;          ///< whose messages it measures; its own id: it measures nothing in this step
  bool operator==(const Measure&) const = default;
};
void put(const Measure& measure, FrameHeader& header);
Measure as_measure(const FrameHeader& header);

/// To the observer: what the sender has measured.
struct Measured {
  static constexpr FrameKind kind = FrameKind::measured;
  std::uint64_t step = 0;
  PeerId from = 0;                ///< whose messages; the sender itself: it had nothing to measure
  std::uint64_t bytes_per_s = 0;  ///< of what came
  Duration round_trip{0};         ///< the least; not negative, below 2^62 ns
  bool operator==(const Measured&) const = default;
};
void put(const Measured& measured, FrameHeader& header);
Measured as_measured(const FrameHeader& header);

/// To the peer whose messages the sender measures: how much it may send. If that is no more than before, it
/// is a question, and the answer is a load without a payload.
struct Allow {
  static constexpr FrameKind kind = FrameKind::allow;
  std::uint64_t step = 0;
  std::uint64_t bytes = 0;   ///< of payload, since the beginning of the step
  std::uint32_t piece = 0;   ///< the payload of one frame, in bytes; 0: no more frames, after the answer
  std::uint32_t number = 0;  ///< of the question
  bool operator==(const Allow&) const = default;
};
void put(const Allow& allow, FrameHeader& header);
Allow as_allow(const FrameHeader& header);

/// To the peer that measures: bytes that say nothing. Without a payload: the answer to a question.
struct Load {
  static constexpr FrameKind kind = FrameKind::load;
  std::uint64_t step = 0;
  std::uint64_t position = 0;  ///< of its payload, in bytes since the beginning of the step
  std::uint32_t number = 0;    ///< of the question that this answers; with a payload 0
  /// In the answer to a stop: what the sender's TCP has delivered of the transfer, per second; 0: unknown.
  /// Below 2^62.
  std::uint64_t bytes_per_s = 0;
  bool operator==(const Load&) const = default;
};
void put(const Load& load, FrameHeader& header);
Load as_load(const FrameHeader& header);

}  // namespace hearsay
