#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// Returns the family of the run: topology.kind, where "auto" is a star for methods with a hub, else a ring.
std::string family_of(const RunSettings& settings);

/// Returns the topology of the run, of its file or its family.
/// Under topology.weights = "auto" it has Metropolis weights, or lazy ones if the method needs larger
/// eigenvalues; `notes` then says so.
NamedTopology topology_of(const RunSettings& settings, std::vector<std::string>& notes);

/// Returns the schedule of a run: who mixes with whom in which round.
std::shared_ptr<const Schedule> schedule_of(const RunSettings& settings, const NamedTopology& topology);

/// True if a run has a spectral gap of its own, that of W: one W mixes in every round, and averages. A
/// varying schedule has no single gap, and neither has push-sum along one-way links. An asynchronous method
/// averages in pairs, not by W; a hub adds up, and reads no W.
bool has_spectral_gap(const Schedule& schedule, const MixingMatrix& mixing, const MethodInfo& method);

/// Returns that spectral gap; empty if the run has none.
std::optional<double> spectral_gap_of(const RunSettings& settings, const NamedTopology& topology);

}  // namespace hearsay
