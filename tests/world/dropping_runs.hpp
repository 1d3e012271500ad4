#pragma once

#include "tests/support/worlds.hpp"
#include "tests/world/faulty_cluster.hpp"

namespace hearsay::test {

inline constexpr Duration long_enough = std::chrono::minutes(10);  ///< of virtual time

/// Returns a run under policy "drop" with failure.lost_after = 200 ms. Its steps keep the mean of all models.
/// Of the plan it reads the compressor and the options.
Experiment<double> dropping(const std::string& method, const World& world, std::uint64_t iterations,
                            std::uint64_t evaluate_every = 10, std::vector<PeerId> join_later = {},
                            Plan plan = {});

/// Returns an instant in the middle of a run of some hundred iterations.
Duration some_instant(RandomStream& random);
/// Returns a duration from 0 to several times failure.lost_after.
Duration a_while(RandomStream& random);
/// Freezes a peer, or cuts it off from another peer or the observer.
void freeze_or_cut(FaultyCluster& cluster, PeerId peers, RandomStream& random);

double weight_of(const MixingRow& row, PeerId id);

/// Checks in every iteration that W is symmetric and its rows sum to 1 and are not negative. An edge that
/// only one end has taken out may be one-sided, for at most one iteration per end. Returns the number of
/// one-sided edges.
std::uint64_t check_rows(const FaultyCluster& cluster, PeerId peers);

/// Checks that no digest ever showed a replica to differ from its owner: an edge that comes back brings the
/// right replica. Returns how many digests were compared.
std::uint64_t check_no_resync(const RunOutcome<double>& outcome);

}  // namespace hearsay::test
