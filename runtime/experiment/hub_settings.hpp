#pragma once

#include "algorithms/compression/seam/traits.hpp"
#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the settings with the peers that have data alone; with programs, all peers: a hub has one, too.
RunSettings settings_of_workers(RunSettings settings);

/// Puts the stand-in of a dedicated hub before the objectives of the workers. Does nothing if the hub has
/// data, or the stand-in is there.
template <class Scalar>
void add_dedicated_hub(const RunSettings& settings, Problem<Scalar>& problem);

/// Expands the spelling of algorithm.down_compressor, and replaces the memory steps "auto" by numbers. `up`:
/// the traits of algorithm.compressor. Throws Misuse for what cannot be parsed, and for messages that fit
/// into no frame.
template <class Scalar>
void settle_hub_options(RunSettings& settings, const Traits& up, const Problem<Scalar>& problem);

}  // namespace hearsay
