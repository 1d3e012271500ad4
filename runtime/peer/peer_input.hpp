#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/peer/checkpoint_rule.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/local_gradients.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "runtime/peer/standby_hub.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// What a peer is made from. Nothing here changes while the peer lives, so its parts read it in place.
template <class Scalar>
struct PeerInput {
  /// Its place in the schedule. That is its id in the run, unless the run has lost members (by_agreement).
  PeerId id;
  std::unique_ptr<Algorithm<Scalar>> algorithm;
  const Objective<Scalar>* objective;  ///< must outlive the peer
  std::shared_ptr<const Schedule> schedule;
  std::vector<PeerId> hearers;  ///< all that hear the peer in some round, ascending; empty if links are fixed
  StepSize step_size;
  std::uint64_t seed;
  /// True: the peer skips iterations in which its row of the schedule does not participate.
  bool may_sit_out;
  Minibatches minibatches;
  /// The largest Euclidean norm of a gradient; a longer one is scaled down. Empty: any.
  std::optional<double> clip = {};
  std::uint64_t iterations;
  std::uint64_t evaluate_every;                ///< iterations; see EvaluationTimes
  PacketPool* packets;                         ///< must outlive the peer
  std::vector<PeerId> patient_neighbors = {};  ///< see Exchanges; asynchronous methods only
  CheckpointRule checkpoints = {};
  bool evaluates_as_announced = false;  ///< see EvaluationTimes; policy "wait", synchronous methods
  std::uint64_t staleness = 0;  ///< s: iteration t asks for messages of iteration t - s (staleness.hpp)
  /// Policy "drop": edges may leave W and come back, and the weights follow in this way. Requires symmetric
  /// links, a static schedule unless the weights are unread, no staleness, and a method that allows it
  /// (Membership). Empty: policy "wait".
  std::optional<WeightsFollow> weights_follow = {};
  /// True: a round is over when the hub closes it (Peer::close_round), and a worker sits out those that are
  /// over. Methods with answers_may_be_late only.
  bool rounds_close = false;
  bool edges_return = true;  ///< false: edges that have left stay out
  /// The hub of the run, possibly this peer. Under policy "drop" a worker begins no iteration while the edge
  /// to the hub is out. Empty: there is none.
  std::optional<PeerId> hub = {};
  /// The worker that stands by for the hub; edges do not return then. Empty: none does.
  std::optional<PeerId> standby = {};
  std::unique_ptr<StandbyHub<Scalar>> standby_hub = {};  ///< of that worker; else null
  std::vector<PeerId> absent = {};  ///< the peers that are not there when the run begins, ascending
  /// Its id in the run, which keys its random streams. Empty: `id` is it.
  std::optional<PeerId> draws_as = {};
  /// Where a joining peer enters the run; `algorithm` then holds a neighbor's model. Empty: the peer does not
  /// join.
  std::optional<EntryPoint> joins_at = {};
};

}  // namespace hearsay
