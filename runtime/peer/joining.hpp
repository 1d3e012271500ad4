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

// Policy "drop": how a peer that the run has gone on without, or that was not there when it began, joins it.
// Nothing is left of its state, if it had one; so it is made anew:
//
//     x_0 of the new peer        a neighbor's model between two iterations, bit for bit
//     completed iterations       the neighbor's
//     edges                      all out; they come in one by one like those of a peer that was cut off
//                                (edge_request.hpp), each with what its ends have published, and degrees and
//                                weights follow
//
//     hello -> parted            from each neighbor that has gone on without it
//     join -> model              to one of them; then `join` to the observer, which answers with `start`
//
// So it takes a method that a peer may begin at any iteration, from a model alone
// (MethodInfo::may_be_joined). The mean of the models is moved by (x_i - mean) / n, x_i being the model that
// it came with.

/// At which point a peer enters the run: what its neighbor knew between two iterations.
struct EntryPoint {
  std::uint64_t iteration;                    ///< the last one that is done
  std::optional<std::uint64_t> last_verdict;  ///< the newest evaluation that was answered
};

/// This peer's model, for a neighbor that joins.
struct ModelCopy {
  PeerId to;
  EntryPoint entry;
  PacketRef model;  ///< null: the run is about to end, nobody joins it
};

template <class Scalar>
PacketRef copy_of(const Vector<Scalar>& model, PacketBuffer buffer);

/// The model; nothing if the bytes are not `dimension` finite numbers.
template <class Scalar>
std::optional<Vector<Scalar>> model_of(std::span<const std::byte> bytes, Index dimension);

/// Whom one that joins asks for a model: the first neighbor that says it has parted; where no model comes,
/// the next one of those after a while, in cyclic order of their ids. Pure.
class JoiningQuestion {
 public:
  JoiningQuestion(PeerId first, Duration patience, Instant now)
      : neighbors_{first}, asked_(first), patience_(patience), since_(now) {}

  void add(PeerId neighbor);
  bool may_ask(PeerId neighbor) const;
  PeerId whom(Instant now);

 private:
  std::vector<PeerId> neighbors_;  // ascending
  PeerId asked_;
  Duration patience_;
  Instant since_;
};

}  // namespace hearsay
