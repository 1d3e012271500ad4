#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// The peers that a peer hears, and those it sends to, in the course of a run. Both ascending.
struct Partners {
  std::vector<PeerId> sources;
  std::vector<PeerId> destinations;
};

/// What a message shows of its sender.
struct SenderProgress {
  PeerId sender;
  std::uint64_t iteration;   ///< an iteration that the sender has begun
  std::uint64_t needs_from;  ///< the first iteration whose messages the sender still needs
};

/// Who talks to whom, and what follows from it: how far ahead a peer may be, and which messages may be
/// discarded. No other code depends on which pattern a method has. Sender and receiver may have different
/// roles in a method (a hub and its workers): the three functions tell roles apart by the id and the graph.
struct Pattern {
  static const Pattern gossip;  ///< the neighbors in the mixing graph, mixed by the weights of W
  static const Pattern ring;    ///< the peer with the next id, whatever the graph
  /// Peers whose ids differ in one bit; those from the largest power of two on with one each (DoublingSum).
  static const Pattern doubling;
  static const Pattern star;  ///< a hub, peer 0, and its workers; the graph is a star, its weights unread

  bool uses_graph;  ///< if false, every peer takes part in every iteration, whatever the graph and schedule
  bool reads_weights;  ///< mixes by W, which must then be doubly stochastic
  bool has_leader;     ///< in every iteration the choice of one peer reaches all (leader_topk)
  bool has_hub;        ///< peer 0 adds up what the others answer, and its model is the one that counts

  Partners (*partners)(PeerId id, const Schedule& schedule);

  /// Returns by how many iterations one peer can be ahead of another, at most. Empty if only the verdicts
  /// limit it. `all_speak`: every iteration has a message both ways on all links of `graph`.
  std::optional<std::uint64_t> (*lead)(const Graph& graph, bool all_speak, std::uint64_t staleness);

  /// Returns the first iteration whose messages peer `to` may still need, after a message that shows the
  /// progress `of`. 0 if that message says nothing about `to`.
  std::uint64_t (*forgets)(PeerId to, const SenderProgress& of);
};

}  // namespace hearsay
