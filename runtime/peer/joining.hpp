#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/seam/packet.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// Policy "drop": how a peer joins a run in progress. The run has gone on without the peer, or began without
// it (failure.join_later). The joining peer has no state, so it starts with this one:
//
//     model                      a bitwise copy of a neighbor's, taken between two iterations
//     completed iterations       those of that neighbor
//     edges                      all out. They come in one by one like those of a peer that was cut off
//                                (edge_request.hpp): the ends of each exchange what they have published, and
//                                degrees and weights follow
//
// What it says, and the answers:
//
//     hello -> parted            every neighbor that has gone on without the peer answers so
//     join -> model              one of these neighbors is asked; then `join` to the observer -> `start`
//
// The method must allow a peer to begin at any iteration with a model alone (MethodInfo::may_be_joined).
// Joining moves the mean of the models by (x_i - mean) / n, where x_i is the copied model.

/// The point at which a peer enters the run: the state of its neighbor between two iterations.
struct EntryPoint {
  std::uint64_t iteration;                    ///< how many iterations the neighbor has completed
  std::optional<std::uint64_t> last_verdict;  ///< the newest evaluation whose verdict the neighbor knows
};

/// A copy of this peer's model for neighbor `to`, which joins.
struct ModelCopy {
  PeerId to;
  EntryPoint entry;
  PacketRef model;  ///< null: the run is about to end, so `to` cannot join it
};

/// Returns a packet with the model's scalars, as they lie in memory.
template <class Scalar>
PacketRef copy_of(const Vector<Scalar>& model, PacketBuffer buffer);

/// Returns the model that `bytes` hold; empty if they are not `dimension` finite scalars.
template <class Scalar>
std::optional<Vector<Scalar>> model_of(std::span<const std::byte> bytes, Index dimension);

/// Which neighbor a joining peer asks for a model: first `first`, then, whenever `patience` has passed
/// without an answer, the next one in cyclic order of ids. Pure.
class JoiningQuestion {
 public:
  JoiningQuestion(PeerId first, Duration patience, Instant now)
      : neighbors_{first}, asked_(first), patience_(patience), since_(now) {}

  /// `neighbor` may be asked, too.
  void add(PeerId neighbor);
  bool may_ask(PeerId neighbor) const;
  /// Returns the neighbor to ask now. Moves on to the next one if the patience is over.
  PeerId whom(Instant now);

 private:
  std::vector<PeerId> neighbors_;  // ascending
  PeerId asked_;                   // the current one
  Duration patience_;
  Instant since_;  // when the current one was first asked
};

}  // namespace hearsay
