#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/foundation/announced.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Returns the iterations of the two evaluations that follow `evaluations`, those that have been judged. No
/// peer is farther than the second.
///
/// The distance of the second from the first is `period` (run.evaluate_every, given as a time) as a number of
/// iterations, at least 1. An iteration takes as long as it did on average between the last two evaluations.
/// At the start the first messages are in buffers before they are on the wire, and programs warm up; and the
/// clock of a resumed run begins anew in the middle of a distance. So a distance is at most four times the
/// one before.
///
/// The result depends only on the arguments, so a restarted observer announces the same numbers as before.
std::array<std::uint64_t, 2> next_evaluations(Duration period, std::span<const Evaluation> evaluations);

/// Returns what the verdict on the evaluation at `evaluated` announces, by `evaluations`, those that have
/// been judged up to now. Announces nothing if `period` is 0.
Announced announced_evaluations(Duration period, std::span<const Evaluation> evaluations,
                                std::uint64_t evaluated);

}  // namespace hearsay
