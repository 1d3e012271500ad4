#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/foundation/crew.hpp"
#include "runtime/observer/distances.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What the objective of a peer has thrown, with the name of the peer.
struct FailedObjective : std::runtime_error {
  FailedObjective(PeerId of, const std::string& what) : std::runtime_error(what), peer(of) {}
  PeerId peer;
};

/// Returns the scores that all objectives of the problem give to the model, by peer. Throws FailedObjective
/// if one throws, but lets Misuse and StopAsked through.
template <class Scalar>
std::vector<LocalScore> scores_of(const Problem<Scalar>& problem, const Vector<Scalar>& model, Crew& crew);

/// Returns the least and the largest pooled loss of the models that are not empty. Both are NaN if one is.
/// Copies one model at a time in each thread.
template <class Scalar>
std::pair<double, double> losses_of(const Problem<Scalar>& problem,
                                    std::span<const std::span<const Scalar>> models, Crew& crew,
                                    const WhenRead<Scalar>& when_read = {});

}  // namespace hearsay
