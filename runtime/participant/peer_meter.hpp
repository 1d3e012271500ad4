#pragma once

#include <algorithm>

#include "runtime/network/link.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/timeline.hpp"
#include "runtime/session/context.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// What a participant counts and measures. The counts continue those of earlier processes under the same id.
class PeerMeter {
 public:
  /// `sending`: how long the port of the peer takes for a message. `timeline` may be null.
  PeerMeter(PeerId id, Availability availability, SendingTime sending, Timeline* timeline)
      : availability_(std::move(availability)), sending_(std::move(sending)), timeline_(timeline, id) {}

  /// Continues the meters of earlier processes.
  void resume_from(PeerMeters earlier) { meters_ = std::move(earlier); }
  /// `origin`: the beginning of the run's time.
  void begin(Instant origin) {
    origin_ = origin;
    timeline_.start(origin);
  }
  Instant origin() const { return origin_; }
  Duration since_begin(Instant now) const { return now - origin_; }

  void sends(const Outgoing& message, Instant now) {
    const std::uint64_t frame_bytes = header_bytes + message.packet->size();
    meters_.count_sent(message.to, frame_bytes);
    const Duration takes = sending_.of(since_begin(now), frame_bytes);
    meters_.wire += takes;
    timeline_.sends(message.key, message.to, frame_bytes, sending_.through(), takes);
  }
  /// The timeline has whole messages from the sockets, which know since when they came.
  void receives(const DataArrived& message, Instant now) {
    const std::size_t taken_bytes = message.metadata.taken_bytes;
    meters_.bytes_received += header_bytes + (taken_bytes != 0 ? taken_bytes : message.packet->size());
    if (taken_bytes != 0) timeline_.receives(message.key, header_bytes + taken_bytes, now, now);
  }
  void computes(Instant begin, Instant end, std::uint64_t iteration) {
    ensure(begin <= end, "a gradient ends after it began");
    meters_.compute += availability_.presence(since_begin(begin), since_begin(end));
    timeline_.computes(begin, end, iteration, availability_);
  }

  /// A wait begins: for messages, or else for a verdict.
  void wait_begins(Instant now, std::uint64_t iteration, bool for_messages) {
    waits_since_ = now;
    if (for_messages) meters_.waits.begin(now);
    timeline_.waits(now, iteration, for_messages);
  }
  /// The message of `source` was the last that a round needed. `waits_on`: the peer waits for another round.
  void round_ended_by(PeerId source, Instant now, bool waits_on) {
    meters_.waits.ended_by(source, now, waits_on);
    timeline_.wait_ended_by(source, now);
  }
  /// The same, since `neighbor` is lost, and sends no message.
  void round_ended_without(PeerId neighbor, Instant now, bool waits_on) {
    meters_.waits.ended_by(neighbor, now, waits_on);
  }
  void wait_ends(Instant now) {
    ensure(waits_since_ <= now, "a wait ends after it began");
    meters_.wait += now - waits_since_;
    timeline_.wait_ends(now);
  }

  /// Returns all meters as of now, those of the peer and of the session among them.
  PeerMeters read(Instant now, const PeerCounters& of_peer,
                  const SessionContext::Counters& of_session) const {
    PeerMeters all = meters_;
    all.now = since_begin(now);
    all.counters = of_peer;
    all.refused += of_session.refused;
    all.gaps += of_session.gaps;
    all.repeated += of_session.repeated;
    all.retransmitted += of_session.retransmitted;
    return all;
  }

 private:
  PeerMeters meters_;
  Availability availability_;
  SendingTime sending_;
  PeerTimeline timeline_;
  Instant origin_{};
  Instant waits_since_{};
};

}  // namespace hearsay
