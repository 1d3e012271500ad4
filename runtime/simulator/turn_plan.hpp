#pragma once

#include <algorithm>
#include <cstddef>

#include "runtime/foundation/crew.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Whether a turn may be taken before what follows from an earlier one is carried out. A turn that asks a
/// program may not: a program that ends in it would be asked by an earlier evaluation, too.
enum class Turns { side_by_side, one_by_one };

/// Which turns of peers are taken side by side, and by which member of a crew.
class TurnPlan {
 public:
  TurnPlan(Turns turns, PeerId peers, std::size_t dimension, std::size_t members)
      : at_once_(turns == Turns::one_by_one
                     ? 1
                     : std::clamp(most_coordinates / std::max<std::size_t>(dimension, 1), fewest_turns,
                                  most_turns)),
        work_of_a_turn_(dimension + coordinates_beside),
        // Consecutive peers often have consecutive turns: each member has its share of those, too.
        block_(static_cast<PeerId>(
            std::max<std::size_t>(1, std::min<std::size_t>(peers, at_once_) / (4 * members)))),
        members_(members) {}

  /// How many turns are taken side by side at most. Does not depend on the number of members.
  std::size_t at_once() const { return at_once_; }
  /// The member that takes all turns of the peer, if they are shared.
  std::size_t member_of(PeerId peer) const { return peer / block_ % members_; }
  /// True if so many turns are worth waking the crew.
  bool are_shared(std::size_t turns) const {
    return members_ > 1 && turns > 1 && turns * work_of_a_turn_ >= worth_a_crew;
  }

 private:
  /// What follows from turns is kept until all that are taken side by side have been taken.
  static constexpr std::size_t most_turns = 2048;
  /// The same of large models, in coordinates of all turns together: so soon an interruption is heeded.
  static constexpr std::size_t most_coordinates = std::size_t{1} << 22;
  static constexpr std::size_t fewest_turns = 16;
  /// What a turn does beside its arithmetic takes as long as that of so many coordinates.
  static constexpr std::size_t coordinates_beside = 100;

  std::size_t at_once_;
  std::size_t work_of_a_turn_;  // in coordinates
  PeerId block_;                // so many consecutive peers have the same member
  std::size_t members_;
};

}  // namespace hearsay
