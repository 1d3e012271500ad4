#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/settings/fault_settings.hpp"

namespace hearsay {

/// Who is cut off from whom, and when: the partitions among the faults of a run.
class Partitions {
 public:
  explicit Partitions(std::vector<Fault> faults) : partitions_(std::move(faults)) {
    std::erase_if(partitions_, [](const Fault& fault) { return fault.kind != Fault::Kind::partition; });
  }

  bool empty() const { return partitions_.empty(); }
  /// True if no frame passes between a and b at this time since the start of the run. The observer is at the
  /// place of peer 0.
  bool is_cut(PeerId a, PeerId b, Duration since_start) const {
    return std::ranges::any_of(partitions_, [&](const Fault& fault) {
      const bool is_now = fault.at <= since_start && (!fault.lasts || since_start < fault.at + *fault.lasts);
      const auto is_inside = [&](PeerId id) { return std::ranges::binary_search(fault.peers, id); };
      return is_now && is_inside(a) != is_inside(b);
    });
  }

 private:
  std::vector<Fault> partitions_;
};

}  // namespace hearsay
