#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Calls action(0), ..., action(peers - 1), each once, in any order, also side by side.
using EachPeer = std::function<void(std::size_t peers, const std::function<void(std::size_t id)>& action)>;

inline void one_by_one(std::size_t peers, const std::function<void(std::size_t id)>& action) {
  for (std::size_t id = 0; id < peers; ++id) action(id);
}

/// Which objectives of a problem are computed in this process and in those that it forks.
struct Home {
  std::optional<PeerId> peer = {};  ///< that of this peer alone; empty: those of all peers
  /// With `peer`: where the peers are, by id, if not where the topology file says.
  std::vector<std::string> addresses = {};
  /// True if the run is only looked at: its peers are where the topology file says. Else those that this
  /// process has and forks are on this machine.
  bool only_looks = false;

  /// How many peers share the memory of this machine, if other than those that the process has and forks.
  std::optional<std::size_t> peers_here = {};

  int program_channel = -1;  ///< socket to the program of `peer`, which somebody else has started; or -1

  /// Of synthetic data, only so many training samples are drawn, and stand in turn for all others: enough to
  /// look at a run that is not trained.
  std::optional<Index> most_drawn = {};

  /// Objectives that are functions of the seed are drawn by the process that trains with them, not by this
  /// one (drawn_objective.hpp).
  bool draws_later = false;
  /// Otherwise it draws them by this, if drawing one takes no memory beside it.
  EachPeer each_peer = one_by_one;

  /// Hears, in a sentence, what happens to the programs of model.kind = "program"; empty: nobody does.
  std::function<void(const std::string& sentence)> notice = {};

  bool has(PeerId id) const { return !peer || *peer == id; }
};

}  // namespace hearsay
