#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/observer/observer.hpp"

namespace hearsay {

/// failure.checkpoint_every given as a time, in iterations, as long as they took up to the first
/// evaluation after that of x_0; at least 1, and 0 while there is none or where `period` is 0. Of the
/// same evaluations the same: an observer that is started anew says again what the first one said.
///
/// The observer says it with every verdict from then on, and nobody passes iteration 2 evaluate_every
/// without the first of these. Multiples beyond that are checkpoints (Peer), so that all peers take the
/// same ones.
std::uint64_t checkpoint_every_for(Duration period, const std::vector<Evaluation>& evaluations);

/// The newest iteration of which every peer holds a checkpoint, as the newest number that is in every
/// list of `held`; nothing if there is none.
std::optional<std::uint64_t> newest_common(std::span<const std::vector<std::uint64_t>> held);

}  // namespace hearsay
