#pragma once

#include <cstdint>

#include "topology/schedule.hpp"

namespace hearsay {

/// What one peer sees of the schedule: its row of the mixing matrix of every round, 0, 1, 2, ...
class PeerRows {
 public:
  /// `schedule` outlives this object.
  PeerRows(const Schedule& schedule, PeerId self) : schedule_(&schedule), self_(self) {}

  PeerId self() const { return self_; }
  PeerId peer_count() const { return schedule_->peer_count(); }
  /// The rows repeat with this period, in the same or in another order. 1 if the row is the same in every
  /// round. Empty if each round is drawn anew.
  std::optional<std::uint64_t> period() const { return schedule_->period(); }
  bool repeats_in_order() const { return schedule_->repeats_in_order(); }
  MixingRow at(std::uint64_t round) const { return schedule_->row(self_, round); }
  /// Writes the row of a round to `row`, and uses the memory that it has.
  void write(std::uint64_t round, MixingRow& row) const { schedule_->write_row(self_, round, row); }

 private:
  const Schedule* schedule_;
  PeerId self_;
};

}  // namespace hearsay
