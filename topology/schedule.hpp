#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph.hpp"
#include "topology/mixing.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// Who mixes with whom in round r = 0, 1, 2, ...: a sequence of doubly stochastic matrices. Pure: the same
/// round always gives the same row, so every peer works it out for itself.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual PeerId peer_count() const = 0;
  /// Row of `peer` in round `round`. The reference lives as long as the schedule. The same reference always
  /// shows the same row, so a row can be identified by its address.
  virtual const MixingRow& row(PeerId peer, std::uint64_t round) const = 0;
  /// Rounds 0 ... period-1 have every link that ever occurs. After them the sequence repeats, or has the same
  /// rounds in another order. 1 for a static schedule.
  virtual std::uint64_t period() const = 0;
  /// True if every period has its rounds in the same order.
  virtual bool repeats_in_order() const { return true; }
  virtual std::string name() const = 0;
};

/// The schedule of a run file's topology.schedule, by name:
///
///     static                 W in every round
///     one-peer-exponential   round r: i hears i - h and is heard by i + h (mod n), h = 2^(r mod t),
///                            t = ceil(log2 n). Directed. t rounds average exactly iff n = 2^t.
///     hypercube-matchings    round r: i and i XOR 2^(r mod t) average, n = 2^t. t rounds average exactly.
///     random-matchings       the links of the graph split into matchings, at most 1 + max degree of
///                            them (an edge coloring after Misra, Gries 1992); the pairs of one average.
///                            Each period goes through all matchings, in an order drawn from the seed
///                            and the number of the period.
///     base(b)                at most b - 1 neighbors in a round, weights by base_rounds.hpp, and a period
///                            averages exactly for any n. The graph needs the links: topology.kind =
///                            "base(b)".
///     dealt-links(b)         the links of the graph, shuffled by the seed, are dealt to b rounds that repeat
///                            in the same order, each with Metropolis weights of its own. A single round may
///                            leave most peers unconnected; any b in a row have all links.
///
/// The weights in `mixing` are for the static schedule; matchings and one-peer-exponential have 1/2
/// everywhere. Misuse: an unknown name (and the nearest known one), arguments that do not fit, one-way links
/// in a schedule other than static, a number of peers that is no power of two for hypercube-matchings, and a
/// graph that lacks links the schedule needs.
std::unique_ptr<Schedule> make_schedule(const std::string& kind, const Graph& graph, MixingMatrix mixing,
                                        std::uint64_t seed);
std::span<const Choice> schedule_choices();

}  // namespace hearsay
