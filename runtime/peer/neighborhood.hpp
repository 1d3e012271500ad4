#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/peer/inbox.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// How the weights follow when edges leave W and come back (policy "drop").
enum class WeightsFollow {
  their_own,  ///< an edge has the weight that it had, or none; the rest is the self weight
  degrees,    ///< w_ij = 1 / (1 + max(d_i, d_j)), of the degrees that both ends announced (Metropolis)
};

/// A peer has taken an edge out of W.
struct Parting {
  PeerId neighbor;
  std::uint64_t from;   ///< the first iteration without it; 0 where it was not there from the beginning
  std::uint64_t until;  ///< the first one with it again, if that is agreed on; else never
  double weight;        ///< that it had
  bool operator==(const Parting&) const = default;
};

/// The edges of one peer i under the policy "drop". Its row of W in iteration t,
///
///     w_ij(t)  of the edges that are in at t,      w_ii(t) = 1 - sum_j w_ij(t),
///
/// is worked out from what both ends of each edge know alike, so that W stays symmetric and doubly stochastic
/// on those that are left, whoever they are:
///
///     out   at the first iteration whose message is missing. What a lost neighbor said before still counts.
///           If only the link is broken, its two ends may take the edge out at iterations that differ by one,
///           and the mean of the models moves once, by w_ij (x_i - x_j) / n.
///     in    again from an iteration that both ends have agreed on.
///     d_i   the degree from iteration t + 1 on is fixed when iteration t begins, and travels with its
///           messages: both ends of an edge use the degrees that were announced in the same iteration. An
///           edge that leaves within t counts in d_i(t + 1) still, which is harmless: the sum over fewer
///           edges is less than 1.
class Neighborhood {
 public:
  /// `row` is that of the undisturbed W; `degrees` belong to its neighbors, in their order.
  Neighborhood(MixingRow row, std::vector<std::uint32_t> degrees, WeightsFollow follow);

  /// Before the first iteration: this edge is out from the beginning.
  void leave_out(PeerId neighbor);

  bool knows(PeerId neighbor) const { return find(neighbor) != nullptr; }
  /// Of this neighbor no more messages are expected than have come.
  void lose(PeerId neighbor);
  bool is_lost(PeerId neighbor) const;
  /// Whether a message of `neighbor` in `iteration` that has not come never will: it is lost, or was, and its
  /// edge is not yet in again.
  bool lacks(PeerId neighbor, std::uint64_t iteration) const;
  /// A message of `neighbor` is missing in `iteration`: its edge is out from there on.
  void depart(PeerId neighbor, std::uint64_t iteration);
  /// Both ends have agreed: the edge is in again from `iteration` on. Iteration `iteration` - 1 has not
  /// begun.
  void attach(PeerId neighbor, std::uint64_t iteration);
  /// Whether a message is of an iteration in which its sender's edge is not in. It may still come.
  bool is_out(const MessageKey& key) const;
  /// The neighbors whose edges come back with this iteration, ascending.
  std::vector<PeerId> attached_at(std::uint64_t iteration) const;

  /// A neighbor's announcement: so many edges from `iteration` on.
  void hear_degree(PeerId neighbor, std::uint64_t iteration, std::uint32_t degree);
  /// What is announced in the messages of the iteration that was begun last: this peer's degree from the next
  /// one on.
  std::uint32_t announced_degree() const { return next_degree_; }
  /// This peer's degree in the iteration that was begun last.
  std::uint32_t degree() const { return degree_; }

  /// Iterations begin one after the other.
  void begin(std::uint64_t iteration);
  /// Whether all edges of the undisturbed W are in, so that its row holds.
  bool undisturbed() const { return !disturbed_; }
  /// Of the iteration that was begun last.
  MixingRow row() const;
  /// So far, in time; where the last one with a neighbor begins, and ends, may still change.
  const std::vector<Parting>& partings() const { return partings_; }

  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

 private:
  struct Edge {
    PeerId neighbor;
    double weight;      // of its own
    bool lost = false;  // nothing more is expected
    std::uint64_t out_from = never;
    std::uint64_t in_from = never;  // again
    std::vector<std::pair<std::uint64_t, std::uint32_t>>
        degrees;  // of the neighbor: (from an iteration on, degree)
    bool is_in(std::uint64_t iteration) const { return iteration < out_from || iteration >= in_from; }
  };
  const Edge* find(PeerId neighbor) const;
  Edge& of(PeerId neighbor);
  void part(Edge& edge, std::uint64_t iteration);
  Parting* last_parting(PeerId neighbor);
  double weight_of(const Edge& edge) const;
  void forget_the_past(Edge& edge) const;

  std::vector<Edge> edges_;  // ascending
  std::vector<Parting> partings_;
  WeightsFollow follow_;
  std::uint64_t iteration_ = 0;
  std::uint32_t degree_;
  std::uint32_t next_degree_;
  bool disturbed_ = false;
};

}  // namespace hearsay
