#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topology/mixing.hpp"
#include "topology/mixing_row.hpp"
#include "topology/peer_id.hpp"

namespace hearsay {

/// Who mixes with whom in round r = 0, 1, 2, ...: a sequence of doubly stochastic matrices. Pure: the same
/// round always gives the same row, so every peer works it out for itself.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual PeerId peer_count() const = 0;
  /// Row of `peer` in round `round`; the reference lives as long as the schedule.
  virtual const MixingRow& row(PeerId peer, std::uint64_t round) const = 0;
  /// Rounds after which the sequence repeats; 1 for a static one.
  virtual std::uint64_t period() const = 0;
  virtual std::string name() const = 0;
};

}  // namespace hearsay
