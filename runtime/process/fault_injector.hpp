#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/foundation/notice.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/process/children.hpp"
#include "runtime/settings/fault_settings.hpp"

namespace hearsay {

/// Lets the faults of a run happen to its processes on this machine. (Partitions: their sockets do.)
class FaultInjector {
 public:
  /// `children` must outlive this object.
  FaultInjector(const std::vector<Fault>& faults, Children& children, const Notice& notice);

  /// The run begins; if it began before, from a checkpoint, what was to happen by then has happened.
  void begin(Instant origin);
  /// Lets happen what is due. Call this several times a second.
  void look(Instant now);

 private:
  struct Step {
    Duration at;  // since the start of the run
    std::function<void()> happens;
  };
  void add(Duration at, std::function<void()> happens);
  void happen(const Fault& fault, PeerId id);

  Children& children_;
  const Notice& notice_;
  std::vector<Step> steps_;  // to come, in the order of time
  std::optional<Instant> origin_;
};

}  // namespace hearsay
