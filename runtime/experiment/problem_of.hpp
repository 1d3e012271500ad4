#pragma once

#include <string>
#include <vector>

#include "algorithms/objectives/home.hpp"
#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// True if a program of the user computes the objectives.
bool has_programs(const RunSettings& settings);

/// Returns the problem of the run file: loads the data, or starts the programs, of the peers that `home`
/// has. `settings` are resolved (topology.peers). What is doubtful is added to `doubts`, in sentences.
/// Throws Misuse.
template <class Scalar>
Problem<Scalar> problem_of(const RunSettings& settings, const Home& home, std::vector<std::string>& doubts);

/// Returns the settings with the peers that have data alone; with programs, all peers: a hub has one, too.
RunSettings settings_of_workers(RunSettings settings);

/// Puts the stand-in of a dedicated hub before the objectives of the workers. Does nothing if the hub has
/// data, or the stand-in is there.
template <class Scalar>
void add_dedicated_hub(const RunSettings& settings, Problem<Scalar>& problem);

}  // namespace hearsay
