#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/sketch.hpp"
#include "algorithms/objectives/problem.hpp"
#include "runtime/record/score_payload.hpp"

namespace hearsay {

/// What a peer tells of its own model under run.evaluate = "own", instead of the model.
struct OwnEvaluation {
  LocalScore score;  ///< on its own data; the loss with h, the regularizer of the problem
  Sketch sketch;     ///< for the distance between the models
};

/// In an evaluation frame: the score, then 64 doubles.
inline constexpr std::size_t own_evaluation_bytes = score_bytes + sizeof(Sketch);

/// Returns what peer `peer` says of its model x. `seed` is that of the run.
template <class Scalar>
OwnEvaluation own_evaluation(const Problem<Scalar>& problem, PeerId peer, const Vector<Scalar>& x,
                             std::uint64_t seed) {
  return {problem.own_score(peer, x), sketch_of<Scalar>(view(x), seed)};
}

std::vector<std::byte> encode_own_evaluation(const OwnEvaluation& own);
/// Returns it; empty if the bytes are none.
std::optional<OwnEvaluation> decode_own_evaluation(std::span<const std::byte> bytes);

}  // namespace hearsay
