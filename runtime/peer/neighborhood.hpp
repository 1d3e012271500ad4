#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/peer/inbox.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// How the weights follow when edges leave W and come back (policy "drop").
enum class WeightsFollow {
  their_own,  ///< an edge that is in keeps its weight; that of an edge that is out goes to the self weight
  degrees,    ///< Metropolis: w_ij = 1 / (1 + max(d_i, d_j)), of the degrees that both ends announced
  unread,     ///< a hub and its workers: who is in counts, and how much is the method's affair
};

/// A time in which an edge of this peer is out of W.
struct Parting {
  PeerId neighbor;
  std::uint64_t from;   ///< the first iteration without the edge; 0: the run began without it
  std::uint64_t until;  ///< the first iteration with it again; `never` if none is agreed on
  double weight;        ///< the edge's weight before
  bool operator==(const Parting&) const = default;
};

/// The edges of one peer i under the policy "drop". Its row of W in iteration t,
///
///     w_ij(t)  of the edges that are in at t,      w_ii(t) = 1 - sum_j w_ij(t),
///
/// is computed from what both ends of each edge know alike. So W stays symmetric and doubly stochastic on the
/// peers that are left:
///
///     out   from the first iteration whose message is missing. Messages that came before still count.
///           If only the link is broken, its two ends may take the edge out at iterations that differ by one;
///           then the mean of the models moves once, by w_ij (x_i - x_j) / n.
///     in    again from an iteration that both ends have agreed on.
///     d_i   the degree from iteration t + 1 on is fixed when iteration t begins, and travels with the
///           messages of t: both ends of an edge use the degrees that were announced in the same iteration.
///           An edge that leaves within t still counts in d_i(t + 1). This is harmless: the weights of the
///           fewer edges sum to less than 1.
class Neighborhood {
 public:
  /// `row` is the peer's row of W with all edges in. `degrees` are those of `row.hears`, in the same order.
  Neighborhood(MixingRow row, std::vector<std::uint32_t> degrees, WeightsFollow follow);

  /// Before the first iteration: the edge is out from the beginning.
  void leave_out(PeerId neighbor);

  bool knows(PeerId neighbor) const { return find(neighbor) != nullptr; }
  /// The neighbor is lost: no message will come that has not come yet.
  void lose(PeerId neighbor);
  bool is_lost(PeerId neighbor) const;
  bool all_are_lost() const { return std::ranges::all_of(edges_, &Edge::lost); }
  /// True if a message of `neighbor` in `iteration` that has not come will never come: the neighbor is lost,
  /// or its edge is to come back in a later iteration.
  bool lacks(PeerId neighbor, std::uint64_t iteration) const;
  /// The message of `neighbor` in `iteration` is missing: the edge is out from that iteration on.
  void depart(PeerId neighbor, std::uint64_t iteration);
  /// Both ends have agreed: the edge is in again from `iteration` on. Iteration `iteration` - 1 must not have
  /// begun.
  void attach(PeerId neighbor, std::uint64_t iteration);
  /// True if the sender's edge is out in the message's iteration. (Such a message may still come.)
  bool is_out(const MessageKey& key) const;
  /// The neighbors whose edges come back with this iteration, ascending.
  std::vector<PeerId> attached_at(std::uint64_t iteration) const;

  /// A neighbor has announced that its degree is `degree` from `iteration` on.
  void hear_degree(PeerId neighbor, std::uint64_t iteration, std::uint32_t degree);
  /// The degree that this peer announces in the current iteration: its degree from the next one on.
  std::uint32_t announced_degree() const { return next_degree_; }
  /// This peer's degree in the current iteration.
  std::uint32_t degree() const { return degree_; }

  /// `iteration` begins: it is the current one from now on.
  void begin(std::uint64_t iteration);
  /// True if no edge was ever out and no neighbor's degree has changed: the row of W still holds.
  bool undisturbed() const { return !disturbed_; }
  /// The row of W in the current iteration. For weights that are read.
  MixingRow row() const;
  /// The schedule's row without the edges that are out in the current iteration. For weights that are unread.
  MixingRow without_those_out(MixingRow scheduled) const;
  /// All partings so far, in order of time. `from` and `until` of the last one with a neighbor may still
  /// change.
  const std::vector<Parting>& partings() const { return partings_; }

  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

 private:
  struct Edge {
    PeerId neighbor;
    double weight;      // in W with all edges in
    bool lost = false;  // no more messages are expected
    std::uint64_t out_from = never;
    std::uint64_t in_from = never;  // when the edge is in again
    std::vector<std::pair<std::uint64_t, std::uint32_t>>
        degrees;  // of the neighbor: (first iteration, degree), ascending
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
