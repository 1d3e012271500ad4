#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// How long a peer waited for each neighbor that it hears. A wait counts for the source whose message ended
/// it, because that message was missing all the time. The sum over the sources is the whole time that the
/// peer waited for messages. Pure.
class WaitingTimes {
 public:
  using OfSource = std::pair<PeerId, Duration>;

  WaitingTimes() = default;
  /// Starts from earlier counts, sorted by id.
  explicit WaitingTimes(std::vector<OfSource> by_source) : by_source_(std::move(by_source)) {}

  /// A wait begins at `now`; does nothing if the peer is waiting already.
  void begin(Instant now) {
    if (!since_) since_ = now;
  }
  /// The message of `source` has ended the wait; does nothing if there was no wait. If `waits_on`, the next
  /// wait begins at `now`.
  void ended_by(PeerId source, Instant now, bool waits_on);

  /// Returns the waiting times, sorted by source.
  const std::vector<OfSource>& by_source() const { return by_source_; }

 private:
  std::vector<OfSource> by_source_;
  std::optional<Instant> since_;
};

}  // namespace hearsay
