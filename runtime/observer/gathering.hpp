#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/observer/meter_readings.hpp"
#include "runtime/observer/told_model.hpp"
#include "runtime/record/own_evaluation.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What the peers have told for one evaluation: their models, or, under run.evaluate = "own", how each judges
/// its own. By peer; empty for a peer that has told nothing, or is gone.
template <class Scalar>
struct Snapshots {
  Snapshots(std::uint64_t of, PeerId peer_count) : iteration(of), models(peer_count), meters(peer_count) {}

  std::uint64_t iteration;
  std::vector<ToldModel<Scalar>> models;
  std::vector<std::optional<OwnEvaluation>> own = {};  ///< empty as a whole if nobody judges its own
  std::vector<std::optional<ToldMeters>> meters;       ///< of all that have told anything

  bool has(PeerId peer) const { return meters[peer].has_value(); }
  bool has_models() const { return std::ranges::any_of(models, &ToldModel<Scalar>::is_there); }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(meters, [](const auto& told) { return told.has_value(); }));
  }
};

/// Gathers the snapshots of each evaluation until all peers that it needs have told theirs. Several
/// evaluations may be incomplete at the same time; each peer tells its own in order.
template <class Scalar>
class Gathering {
 public:
  explicit Gathering(PeerId peer_count) : counts_from_(peer_count) {}

  /// Peer `peer` tells its model at `iteration`, or how it judges it.
  void add(PeerId peer, std::uint64_t iteration, ToldModel<Scalar> model, const ToldMeters& meters) {
    snapshots(peer, iteration, meters).models[peer] = std::move(model);
  }
  void add(PeerId peer, std::uint64_t iteration, const OwnEvaluation& own, const ToldMeters& meters) {
    Snapshots<Scalar>& gathered = snapshots(peer, iteration, meters);
    gathered.own.resize(counts_from_.size());
    gathered.own[peer] = own;
  }

  /// True if the evaluation at `iteration` waits for what `peer` tells.
  bool needs(PeerId peer, std::uint64_t iteration) const { return counts_from_[peer] <= iteration; }
  /// Hands over the snapshots of the evaluation at `iteration` if none is missing; else returns nothing.
  std::optional<Snapshots<Scalar>> take_if_complete(std::uint64_t iteration);
  /// The same for the first evaluation that is gathered. None is complete while no peer counts.
  std::optional<Snapshots<Scalar>> take_first_if_complete();

  /// No evaluation needs `peer` from now on, and what it has told for those that are gathered is forgotten.
  void drop(PeerId peer);
  /// The evaluation at `iteration` and later ones need `peer`, which was dropped.
  void take_back(PeerId peer, std::uint64_t iteration);

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  struct Open {
    Snapshots<Scalar> snapshots;
    PeerId known_to_be_there = 0;  // what all peers below this one tell is there, or not needed
  };
  Snapshots<Scalar>& snapshots(PeerId peer, std::uint64_t iteration, const ToldMeters& meters);
  /// Looks at each peer once, over all calls.
  bool is_complete(Open& open) const;
  std::optional<Snapshots<Scalar>> take(typename std::map<std::uint64_t, Open>::iterator found);

  std::vector<std::uint64_t> counts_from_;  // by peer: the first evaluation that needs it
  std::map<std::uint64_t, Open> open_;      // by iteration
};

}  // namespace hearsay
