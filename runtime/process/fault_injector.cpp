#include "runtime/process/fault_injector.hpp"

#include <algorithm>
#include <string>

namespace hearsay {

FaultInjector::FaultInjector(const std::vector<Fault>& faults, Children& children, const Notice& notice)
    : children_(children), notice_(notice) {
  for (const Fault& fault : faults)
    for (const PeerId id : fault.peers) add(fault, id);
  std::ranges::stable_sort(steps_, {}, &Step::at);
}

void FaultInjector::add(const Fault& fault, PeerId id) {
  add(fault.at, [this, say = sentence_on(fault, id)] { notice_(say); });
  switch (fault.kind) {
    case Fault::Kind::death:
      add(fault.at,
          [this, id, comes_back = fault.lasts.has_value()] { children_.end_by_fault(id, comes_back); });
      if (fault.lasts) add(fault.at + *fault.lasts, [this, id] { children_.start_anew(id); });
      break;
    case Fault::Kind::freeze:
      add(fault.at, [this, id] { children_.freeze(id); });
      add(fault.at + *fault.lasts, [this, id] { children_.thaw(id); });
      break;
    case Fault::Kind::rejoin:
      add(fault.at, [this, id] { children_.start_anew(id); });
      break;
    case Fault::Kind::partition:
      break;
  }
}

void FaultInjector::begin(Instant origin) {
  if (!origin_) origin_ = origin;
}

void FaultInjector::look(Instant now) {
  if (!origin_) return;
  while (next_ < steps_.size() && *origin_ + steps_[next_].at <= now) steps_[next_++].happens();
}

}  // namespace hearsay
