#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/foundation/crew.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/own_evaluation.hpp"

namespace hearsay {

/// By peer: the squared distance of its model from the mean of the models; empty for a peer that is gone.
using SquaredDistances = std::vector<std::optional<double>>;

/// The models of all peers, by peer; empty for a peer that is gone.
template <class Scalar>
using ModelViews = std::vector<std::span<const Scalar>>;

template <class Scalar>
ModelViews<Scalar> views_of(const std::vector<Vector<Scalar>>& models) {
  ModelViews<Scalar> views;
  for (const Vector<Scalar>& model : models) views.push_back(view(model));
  return views;
}

/// Is told what has been read of a model, and will not be read again soon.
template <class Scalar>
using WhenRead = std::function<void(std::span<const Scalar>)>;

/// Returns the mean of the models, summed in peer order in double. Ignores empty ones (peers that are gone);
/// at least one must not be empty. Takes no memory beside the mean.
template <class Scalar>
Vector<Scalar> mean_of(const ModelViews<Scalar>& models, Crew& crew, const WhenRead<Scalar>& when_read = {});

template <class Scalar>
Vector<Scalar> mean_of(const std::vector<Vector<Scalar>>& models) {
  CrewOfOne alone;
  return mean_of<Scalar>(views_of(models), alone);
}

template <class Scalar>
SquaredDistances squared_distances(const ModelViews<Scalar>& models, const Vector<Scalar>& mean, Crew& crew,
                                   const WhenRead<Scalar>& when_read = {});

/// The same, estimated from sketches of the models (algorithms/arithmetic/sketch.hpp).
SquaredDistances squared_distances(const std::vector<std::optional<OwnEvaluation>>& own);

/// Returns sqrt((1/n) sum_i ||x_i - mean||^2) over the peers that are not gone.
double consensus_distance(const SquaredDistances& squares);

template <class Scalar>
double consensus_distance(const std::vector<Vector<Scalar>>& models, const Vector<Scalar>& mean) {
  CrewOfOne alone;
  return consensus_distance(squared_distances<Scalar>(views_of(models), mean, alone));
}

/// True if the record keeps the peers' distances of this evaluation, counted from 0: of all of the first
/// 1,024, of every second of the next 1,024, of every fourth of the next 2,048, and so on. So a record that
/// becomes twice as long grows by 512 lines.
bool keeps_distances(std::size_t evaluation);

PeerDistances peer_distances(const SquaredDistances& squares);

}  // namespace hearsay
