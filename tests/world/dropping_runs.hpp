#pragma once

#include "tests/support/worlds.hpp"
#include "tests/world/faulty_cluster.hpp"

namespace hearsay::test {

inline constexpr Duration long_enough = std::chrono::minutes(10);  ///< of virtual time

/// A run under the policy "drop", with failure.lost_after = 200 ms, whose steps keep the mean of all models.
Experiment<double> dropping(const std::string& method, const World& world, std::uint64_t iterations,
                            std::uint64_t evaluate_every = 10, std::vector<PeerId> join_later = {});

/// In the middle of a run of some hundred iterations.
Duration some_instant(RandomStream& random);
/// From nothing to several times failure.lost_after.
Duration a_while(RandomStream& random);
/// Somebody stands still, or cannot reach somebody else, or the observer.
void freeze_or_cut(FaultyCluster& cluster, PeerId peers, RandomStream& random);

double weight_of(const MixingRow& row, PeerId id);

/// W is symmetric, its rows sum to 1 and are not negative, in every iteration, but for edges that one end has
/// already taken out and the other has not: at most one iteration for every end that took an edge out.
/// Returns how many.
std::uint64_t check_rows(const FaultyCluster& cluster, PeerId peers);

/// No replica was ever found to differ from what its owner had published: an edge that comes back brings the
/// right one. Returns how many digests were compared.
std::uint64_t check_no_resync(const RunOutcome<double>& outcome);

}  // namespace hearsay::test
