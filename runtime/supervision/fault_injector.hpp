#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/foundation/notice.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/settings/fault_settings.hpp"
#include "runtime/supervision/supervisor.hpp"

namespace hearsay {

/// Lets the faults of a run happen to its processes, at their times, on this machine or in virtual time.
/// (Partitions: their sockets do, or the network.) Pure, as the supervisor is, which decides what can happen.
class FaultInjector {
 public:
  /// `supervisor` and `notice` must outlive this object.
  FaultInjector(const std::vector<Fault>& faults, Supervisor& supervisor, const Notice& notice);

  /// The run begins; if it began before, from a checkpoint, what was to happen by then has happened.
  void begin(Instant origin);
  /// When the next fault is due; empty: the run has not begun, or none is left.
  std::optional<Instant> next() const {
    return origin_ && !steps_.empty() ? std::optional(*origin_ + steps_.front().at) : std::nullopt;
  }
  /// Lets the next fault happen that is due; false if none is. Carry out what the supervisor decides before
  /// the next call.
  bool step(Instant now);

 private:
  struct Step {
    Duration at;  // since the start of the run
    std::function<void()> happens;
  };
  void add(Duration at, std::function<void()> happens);
  void happen(const Fault& fault, PeerId id);

  Supervisor& supervisor_;
  const Notice& notice_;
  std::vector<Step> steps_;  // to come, in the order of time
  std::optional<Instant> origin_;
};

}  // namespace hearsay
