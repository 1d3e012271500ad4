#pragma once

#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// Returns the rounds of the Base-(k+1) graph (Takezawa, Sato, Bao, Niwa, Yamada 2023, Algorithms 1 to 3),
/// base = k + 1 >= 2. Each round is symmetric and doubly stochastic, and no peer has more than k neighbors in
/// it. All rounds in order average exactly, whatever n is: their product is J (all entries 1/n). There are at
/// most 2 log_base(n) + 2 of them.
///
/// Three constructions, each built on the one before:
///
///     hyper-hypercube, for n = f_1 f_2 ... with all factors <= base and as few factors as possible: a peer's
///       number is written with one digit per factor. In round t, all peers whose numbers differ in digit t
///       only average, each link with weight 1 / f_t.
///     simple, for n = a_1 base^p_1 + a_2 base^p_2 + ..., the digits of n, p_1 > p_2 > ...: the peers are
///       split into blocks V_l of a_l base^p_l peers, each block into a_l parts of base^p_l. First every
///       block averages within itself, by a hyper-hypercube. In the next round every peer of V_2, V_3, ...
///       links with one peer in each part of V_1, weight |V_1| / (a_1 (|V_1| + |V_2| + ...)). Then the mean
///       of each part of V_1 is the mean of all peers, and so is the mean of V_2, V_3, ... together. The
///       parts of V_1 then average within themselves, while V_2 links with V_3, V_4, ... in the same way; and
///       so on. The peers of the last block, which stay equal among themselves, then hold the mean.
///     p groups of q peers, for n = p q with all prime factors of p <= base: the groups run their simple
///       rounds side by side. Then the peers with the same place in all groups run a hyper-hypercube. This
///       form is taken if it has fewer rounds than the simple rounds of n.
///
/// A peer without a link in a round keeps what it has. Departs: the paper also lets idle peers of the simple
/// rounds average with each other, to no effect on the period.
std::vector<std::vector<WeightedLink>> base_rounds(PeerId peer_count, PeerId base);

/// The graph of all links that occur in base_rounds; connected.
Graph base_graph(PeerId peer_count, PeerId base);

}  // namespace hearsay
