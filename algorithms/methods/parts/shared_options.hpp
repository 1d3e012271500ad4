#pragma once

#include "algorithms/seam/method_options.hpp"

/// The options that several methods read, or a part that stands for several, or the code that runs a method.
/// Options of one method stand in its own file.
namespace hearsay::option {

// Gossip.
extern const NumberOption consensus_step;  ///< gamma: factor of a gossip step
extern const NumberOption damping;         ///< a: share of a compressed difference by which a reference moves
extern const CountOption staleness;        ///< s: models are mixed s iterations later
extern const CountOption rank;             ///< columns of a low-rank factor
extern const TextOption order;             ///< of the steps of an iteration
extern const TextOption side_information;  ///< see SideInformation
extern const TextOption memory;            ///< of replicas; see ReplicaSum

// Local and outer steps.
extern const TextOption optimizer;     ///< see LocalOptimizer
extern const CountOption local_steps;  ///< H: local steps to a round
extern const TextOption worker_steps;  ///< H_i: local steps of each peer
extern const TextOption outer;         ///< see OuterRule
extern const NumberOption momentum;    ///< beta

// Errors of compression.
extern const TextOption feedback;       ///< see FeedbackRule
extern const NumberOption error_decay;  ///< beta: share of the error that the next message takes
extern const CountOption dense_rounds;  ///< rounds in full precision, before it compresses
extern const CountOption rounds;        ///< R: compressions of one vector, one after the other
extern const TextOption aggregate;      ///< see GatheredMean

// Sums over all peers.
extern const TextOption reduce;  ///< see AllReduce

// A hub and its workers.
extern const TextOption down_compressor;   ///< of a hub's messages to its workers
extern const TextOption memory_step;       ///< alpha: how far memories follow; a number or auto
extern const TextOption down_memory_step;  ///< the same for a hub's messages

}  // namespace hearsay::option
