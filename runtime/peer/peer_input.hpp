#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// When checkpoints of a peer are due: after every `every` iterations, and after the last one. Synchronous
/// methods only.
struct CheckpointRule {
  std::uint64_t every = 0;    ///< 0: never, unless as announced
  bool as_announced = false;  ///< as a verdict says, beyond the iteration that no peer passes without one
  bool any() const { return every != 0 || as_announced; }
};

/// What a peer is made from, and what does not change while it lives: one struct, since whoever makes a peer
/// knows all of it, and the parts of the peer read it in place.
template <class Scalar>
struct PeerInput {
  PeerId id;
  std::unique_ptr<Algorithm<Scalar>> algorithm;
  const Objective<Scalar>* objective;  ///< outlives the peer
  std::shared_ptr<const Schedule> schedule;
  std::vector<PeerId> hearers;  ///< who hears the peer in any round, ascending; empty if links are fixed
  StepSize step_size;
  std::uint64_t seed;
  /// Whether the peer skips iterations if its row of the schedule says so: no gradient, no message.
  bool may_sit_out;
  /// Samples per gradient, drawn with replacement; empty: all local samples.
  std::optional<std::uint64_t> batch;
  std::uint64_t iterations;
  std::uint64_t evaluate_every;
  PacketPool* packets;                         ///< outlives the peer
  std::vector<PeerId> patient_neighbors = {};  ///< see Exchanges; asynchronous methods only
  CheckpointRule checkpoints = {};
  std::uint64_t staleness = 0;  ///< s: iteration t asks for messages of iteration t - s (staleness.hpp)
  /// Policy "drop": edges may leave W and come back, and this is how the weights follow. Empty: policy
  /// "wait".
  /// Static symmetric schedules, methods whose membership is exact, no staleness.
  std::optional<WeightsFollow> weights_follow = {};
  bool edges_return = true;         ///< otherwise edges that have left stay out
  std::vector<PeerId> absent = {};  ///< the peers that are not there when the run begins, ascending
  /// Of a peer that joins: `algorithm` begins with a neighbor's model.
  std::optional<EntryPoint> joins_at = {};
};

}  // namespace hearsay
