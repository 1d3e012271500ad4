#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// Whom a peer hears and whom it sends to in the course of a run, both ascending.
struct Partners {
  std::vector<PeerId> sources;
  std::vector<PeerId> destinations;
};

/// What a message shows of its sender.
struct SenderProgress {
  PeerId sender;
  std::uint64_t iteration;   ///< that the sender has begun
  std::uint64_t needs_from;  ///< the first iteration whose messages the sender still needs
};

/// Who talks to whom, and what follows from that: how far ahead a peer may be, and what may be forgotten.
/// Nobody else asks which pattern it is. The sender and the receiver of a message need not have the same part
/// in the method: where they differ (a hub and its workers), the three functions say so by the id and by the
/// graph.
struct Pattern {
  static const Pattern gossip;  ///< the neighbors in the mixing graph, mixed by the weights of W
  static const Pattern ring;    ///< the peer with the next id, whatever the graph

  bool uses_graph;  ///< otherwise every peer takes part in every iteration, whatever graph and schedule say
  bool reads_weights;  ///< mixes by W, which has to average therefore
  bool has_leader;     ///< all hear, in every iteration, what one of them has chosen (leader_topk)

  Partners (*partners)(PeerId id, const Schedule& schedule);

  /// The most iterations that one peer can be ahead of another; nothing if only the verdicts limit it.
  /// `all_speak`: every iteration has a message both ways on all links of `graph`.
  std::optional<std::uint64_t> (*lead)(const Graph& graph, bool all_speak, std::uint64_t staleness);

  /// The first iteration whose messages `to` may still need, after a message that shows `of`; 0 if it says
  /// nothing of `to`.
  std::uint64_t (*forgets)(PeerId to, const SenderProgress& of);
};

}  // namespace hearsay
