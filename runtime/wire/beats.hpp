#pragma once

#include <cstdint>

#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The numbers of heartbeats between a peer and the observer, from 1 in each process; 0 if there is none.
///
/// Frames on one connection come in the order in which they were sent. So if the receiver has heard a
/// heartbeat and not a frame that was sent before it, that frame is lost, however slow the network is: a
/// connection was broken and made anew. A frame that is only late is not sent again. Heartbeats overtake a
/// frame that travels in pieces: it counts as lost while it is under way, and is then announced again
/// (runtime/transfer), which costs two headers.
struct Beats {
  std::uint32_t own = 0;    ///< the number of this heartbeat
  std::uint32_t heard = 0;  ///< the number of the newest heartbeat that has come from the receiver
  bool operator==(const Beats&) const = default;
};

inline void put(const Beats& beats, FrameHeader& header) {
  header.degree = beats.own;
  header.replica_digest = beats.heard;
}
inline Beats as_beats(const FrameHeader& header) {
  return {.own = header.degree, .heard = header.replica_digest};
}

/// When a frame was sent, in heartbeats: it has come, or is lost, once heartbeat `next` has come.
class SentBefore {
 public:
  /// The sender's next heartbeat will have the number `next`.
  explicit SentBefore(std::uint32_t next) : next_(next) {}
  /// True if the frame has come, or is lost, if the other end has heard heartbeat `heard`.
  bool is_settled(std::uint32_t heard) const { return heard >= next_; }

 private:
  std::uint32_t next_;
};

}  // namespace hearsay
