#pragma once

#include <variant>

#include "runtime/session/events.hpp"

namespace hearsay {

/// A peer has begun the run, with nothing heard before.
struct BeginsLog {};

/// All peers have agreed to begin the run anew: what this one holds of it counts no more, also if its process
/// ends before the start.
struct BeginsAnew {};

/// What a peer has taken in: with a checkpoint, all that makes the same peer again.
using Heard = std::variant<BeginsLog, BeginsAnew, DataArrived, VerdictArrived>;

}  // namespace hearsay
