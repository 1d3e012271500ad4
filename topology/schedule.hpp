#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph.hpp"
#include "topology/mixing.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// Who mixes with whom in round r = 0, 1, 2, ...: a sequence of mixing matrices, all doubly stochastic (but
/// for the static schedule of a `directed` matrix). Pure: the same round always gives the same row, so every
/// peer computes it for itself.
class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual PeerId peer_count() const = 0;
  /// Writes the row of `peer` in round `round` to `row`, and uses the memory that it has. Costs the same for
  /// every round.
  virtual void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const = 0;
  /// Returns that row, in memory of its own.
  MixingRow row(PeerId peer, std::uint64_t round) const {
    MixingRow row;
    write_row(peer, round, row);
    return row;
  }
  /// The number of rounds after which the sequence repeats, in the same or in another order
  /// (repeats_in_order). So rounds 0 ... period-1 have every link that ever occurs. 1 for a static schedule.
  /// Empty if each round is drawn anew, so that the sequence never repeats.
  virtual std::optional<std::uint64_t> period() const = 0;
  /// True if every period has its rounds in the same order.
  virtual bool repeats_in_order() const { return true; }
  /// Returns the schedule from which this one leaves peers out, or itself if it leaves out none. It has a
  /// period, and all links that ever occur in this one.
  virtual const Schedule& whole() const { return *this; }
  virtual std::string name() const = 0;
};

/// Returns the schedule that topology.schedule names:
///
///     static                 W in every round
///     one-peer-exponential   round r: i hears i - h and is heard by i + h (mod n), h = 2^(r mod t), t =
///                            ceil(log2 n). Directed. t rounds average exactly iff n = 2^t.
///     hypercube-matchings    round r: i and i XOR 2^(r mod t) average, n = 2^t. t rounds average exactly.
///     random-matchings       the links of the graph split into matchings (matchings.hpp: an edge coloring
///                            after Misra, Gries 1992, with at most 1 + max degree colors, more on the
///                            largest graphs). In a round the pairs of one matching average. Each period goes
///                            through all matchings, in an order drawn from the seed and the number of the
///                            period.
///     base(b)                at most b - 1 neighbors in a round, weights by base_rounds.hpp; a period
///                            averages exactly for any n. The graph must have these links, as topology.kind =
///                            "base(b)" has.
///     dealt-links(b)         the links of the graph, shuffled by the seed, are dealt to b rounds that repeat
///                            in the same order. Each round has Metropolis weights of its own. A single round
///                            may leave most peers unconnected; any b in a row have all links.
///
/// The static schedule uses the weights of `mixing`; matchings and one-peer-exponential have 1/2 everywhere.
/// Misuse: an unknown name (with the nearest known one), arguments that do not fit, one-way links in a
/// schedule other than static, a number of peers that is not a power of two for hypercube-matchings, a graph
/// without a link that the schedule needs, dealt-links with more rounds than there are links, rounds that do
/// not fit in memory.
std::unique_ptr<Schedule> make_schedule(const std::string& kind, const Graph& graph, MixingMatrix mixing,
                                        std::uint64_t seed);
std::span<const Choice> schedule_choices();

}  // namespace hearsay
