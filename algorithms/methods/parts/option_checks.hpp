#pragma once

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

// The checks of the rows in shared_options.hpp, and what several methods check of them.

/// Warns of optimizers with a state: nothing makes the peers' momenta or scales agree.
void check_optimizer(const RunView& view, Advice& advice);

/// Refuses the mean over the senders with a compressor that sends no single coefficients.
void check_aggregate(const RunView& view, Advice& advice);
/// Warns of the mean over the senders where they are few: what one peer alone sends counts n times.
void warn_of_few_senders(const RunView& view, Advice& advice);

/// Refuses compressors and links with which no code can be read near side information.
void check_side_information(const RunView& view, Advice& advice);
/// Returns what side information makes the sizes of messages depend on (MethodInfo::unknown_sizes).
UnknownSizes sizes_by_side_information(const MethodOptions& options);

/// Refuses the sum of the replicas (ReplicaSum) if links change, or if a single replica is needed.
void check_replica_memory(const RunView& view, Advice& advice);
/// Why a peer that keeps the sum cannot do without a neighbor (MethodInfo::keeps_all_because).
std::string what_is_summed_up(const MethodOptions& options);

/// Refuse memories that would follow noise: alpha is to be at most 1 / (1 + omega).
void check_memory_step(const RunView& view, Advice& advice);
void check_down_memory_step(const RunView& view, Advice& advice);

/// Warns of a run that ends before it begins to compress.
void check_dense_rounds(const RunView& view, Advice& advice);
/// Warns of a rank that is more than the gradients of dense_rounds can teach.
void check_learned_rank(const RunView& view, Advice& advice);

/// Checks that algorithm.staleness, or a consensus step above 1 in full-precision gossip, is sound on this
/// topology. Refuses staleness above 100, and links that change from round to round or are not symmetric. At
/// the limit of stale_gossip.hpp it is unsound.
void check_staleness(const RunView& view, Advice& advice);

}  // namespace hearsay
