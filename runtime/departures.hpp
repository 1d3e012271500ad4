#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/inbox.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// An edge that was taken out of W at this end.
struct PartedEdge {
  PeerId neighbor;
  std::uint64_t from;  ///< the first iteration that lacked a message of it
};

/// The neighbors of one peer that are gone, under the policy "drop". An edge leaves W at the first iteration whose message
/// is lacking, and its weight goes to the self weights at both its ends:
///
///     w'_ij = 0,  w'_ii = w_ii + w_ij
///
/// so that W stays symmetric and doubly stochastic on those that are left, whoever they are, with no word between them. What
/// a lost neighbor said before still counts: where it is only the link that is broken, its two ends take the edge out at
/// iterations that differ by one at most, and the mean moves once, by w_ij (x_i - x_j) / n at most.
class Departures {
 public:
  /// No more is to be expected of this neighbor than what has come.
  void lose(PeerId neighbor);
  bool is_lost(PeerId neighbor) const;
  /// A message of `neighbor` lacks in `iteration`, and will for ever: its edge is out from there on.
  void depart(PeerId neighbor, std::uint64_t iteration);
  /// Whether a message is of an iteration from which on its sender's edge is out. It may still come.
  bool is_out(const MessageKey& key) const;

  bool any() const { return !departures_.empty(); }
  const std::vector<PartedEdge>& all() const { return departures_; }
  /// W's row without them.
  MixingRow narrowed(const MixingRow& row) const;

 private:
  std::vector<PeerId> lost_;            // in the order in which they were
  std::vector<PartedEdge> departures_;  // likewise
};

}  // namespace hearsay
