#pragma once

#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// The rounds of the Base-(k+1) graph (Takezawa, Sato, Bao, Niwa, Yamada 2023, Algorithms 1 to 3), base = k +
/// 1 >= 2: symmetric and doubly stochastic. No peer has more than k neighbors in a round. All rounds in order
/// average exactly, whatever n is: their product is J. There are at most 2 log_base(n) + 2 of them.
///
/// Three constructions, each built on the one before:
///
///     hyper-hypercube, for n = f_1 f_2 ... with all factors <= base, as few as possible: a peer's number is
///       written with one digit per factor. In round t, peers whose numbers differ in digit t only average,
///       weight 1 / f_t.
///     simple, for n = a_1 base^p_1 + a_2 base^p_2 + ..., the digits of n, p_1 > p_2 > ...: the peers are
///       split in blocks V_l of a_l base^p_l, each in a_l parts of base^p_l. First every block averages
///       within itself, by a hyper-hypercube. In the next round all peers of V_2, V_3, ... link with one peer
///       in each part of V_1, weight |V_1| / (a_1 (|V_1| + |V_2| + ...)). Then the mean of each part of V_1
///       is the mean of all peers, and so is the mean of V_2, V_3, ... together. The parts of V_1 average
///       within themselves while V_2 does the same with V_3, V_4, ...; and so on. The peers of the last
///       block, which are equal all along, are then at the mean.
///     n = p q, where p has all prime factors <= base: p groups of q run the simple rounds side by side. Then
///       the peers of equal place in all groups run a hyper-hypercube. This is used if it is shorter than the
///       simple rounds of n.
///
/// A round may leave peers out: they keep what they have. Departs: the paper also lets idle peers of the
/// simple rounds average with each other, to no effect on the period.
std::vector<std::vector<WeightedLink>> base_rounds(PeerId peer_count, PeerId base);

/// All links that occur in base_rounds. Connected.
Graph base_graph(PeerId peer_count, PeerId base);

}  // namespace hearsay
