#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// How long a peer waited for each of those that it hears. A wait belongs to the one whose message ended it:
/// that message was missing all the time, and the sum over the sources is the whole time that the peer waited
/// for messages. Pure.
class WaitingTimes {
 public:
  using OfSource = std::pair<PeerId, Duration>;

  WaitingTimes() = default;
  /// Those that were counted before.
  explicit WaitingTimes(std::vector<OfSource> by_source) : by_source_(std::move(by_source)) {}

  /// From now on the peer waits for messages, unless it does so already.
  void begin(Instant now) {
    if (!since_) since_ = now;
  }
  /// The message of `source` was the last that was missing; `waits_on`: now the peer waits for another one.
  void ended_by(PeerId source, Instant now, bool waits_on);

  /// Ascending ids.
  const std::vector<OfSource>& by_source() const { return by_source_; }

 private:
  std::vector<OfSource> by_source_;
  std::optional<Instant> since_;
};

}  // namespace hearsay
