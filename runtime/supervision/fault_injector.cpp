#include "runtime/supervision/fault_injector.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hearsay {

FaultInjector::FaultInjector(const std::vector<Fault>& faults, Supervisor& supervisor, const Notice& notice)
    : supervisor_(supervisor), notice_(notice) {
  for (const Fault& fault : faults)
    for (const PeerId id : fault.peers) add(fault.at, [this, fault, id] { happen(fault, id); });
}

/// Behind those of the same time.
void FaultInjector::add(Duration at, std::function<void()> happens) {
  const auto place = std::ranges::upper_bound(steps_, at, {}, &Step::at);
  steps_.insert(place, {at, std::move(happens)});
}

/// What cannot happen, since there is no such process or it stands still already, is not said. A process
/// that was started meanwhile, and killed again, is not started at the end of the first fault.
void FaultInjector::happen(const Fault& fault, PeerId id) {
  switch (fault.kind) {
    case Fault::Kind::death:
      if (!supervisor_.end_by_fault(id, fault.lasts.has_value())) return;
      if (fault.lasts)
        add(fault.at + *fault.lasts, [this, id, life = supervisor_.life(id)] {
          if (supervisor_.is_down(id, life) && !supervisor_.start_by_fault(id))
            notice_("peer " + std::to_string(id) + " was not started again");
        });
      break;
    case Fault::Kind::freeze:
      if (const auto life = supervisor_.freeze(id))
        add(fault.at + *fault.lasts, [this, id, life] { supervisor_.thaw(id, *life); });
      else
        return;
      break;
    case Fault::Kind::rejoin:
      if (!supervisor_.start_by_fault(id)) return;
      break;
    case Fault::Kind::partition:
      break;
  }
  notice_(sentence_on(fault, id));
}

void FaultInjector::begin(Instant origin) {
  if (!origin_) origin_ = origin;
}

bool FaultInjector::step(Instant now) {
  const auto due = next();
  if (!due || *due > now) return false;
  const std::function<void()> happens = std::move(steps_.front().happens);
  steps_.erase(steps_.begin());
  happens();
  return true;
}

}  // namespace hearsay
