#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/observer/observer.hpp"

namespace hearsay {

/// Returns `period` (failure.checkpoint_every, given as a time) as a number of iterations, at least 1. An
/// iteration takes as long as it did on average up to evaluations[1], the first one after that of x_0.
/// Returns 0 if `period` is 0 or there is no evaluations[1] yet. The result depends only on these arguments,
/// so a restarted observer announces the same number as before.
///
/// The observer announces the number with every verdict from then on. No peer passes iteration 2
/// evaluate_every without the first such verdict. Multiples of the number beyond that iteration are
/// checkpoints (Peer), so all peers take the same ones.
std::uint32_t checkpoint_every_for(Duration period, const std::vector<Evaluation>& evaluations);

/// Returns the iteration after which all peers take their first checkpoint, if the run is that long. Returns
/// the largest number there is if the evaluations do not tell it yet.
std::uint64_t first_checkpoint(const RunSettings::Failure& failure, std::uint64_t evaluate_every,
                               const std::vector<Evaluation>& evaluations);

/// Returns the largest number that is in every list of `held`: the newest iteration of which every peer holds
/// a checkpoint. Returns nothing if there is no such number.
std::optional<std::uint64_t> newest_common(std::span<const std::vector<std::uint64_t>> held);

}  // namespace hearsay
