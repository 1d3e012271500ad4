#pragma once

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/run_view.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Checks topology.round_deadline, if it is set. Throws Misuse for a method that needs all answers, for
/// checkpoints, and for a deadline that no answer can meet. Warns if the hub's port cannot tell all workers
/// of a round before it.
void check_round_deadline(const RunSettings& settings, const RunView& view, Advice& advice);

}  // namespace hearsay
