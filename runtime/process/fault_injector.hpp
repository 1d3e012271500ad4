#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/foundation/notice.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/process/supervisor.hpp"
#include "runtime/settings/fault_settings.hpp"

namespace hearsay {

/// Lets the faults of a run happen to its processes on this machine, at their times. (Partitions: their
/// sockets do.) Pure, as the supervisor is, which decides what can happen.
class FaultInjector {
 public:
  /// `supervisor` and `notice` must outlive this object.
  FaultInjector(const std::vector<Fault>& faults, Supervisor& supervisor, const Notice& notice);

  /// The run begins; if it began before, from a checkpoint, what was to happen by then has happened.
  void begin(Instant origin);
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
