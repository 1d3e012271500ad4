#pragma once

#include <variant>

#include "runtime/session/events.hpp"

namespace hearsay {

/// A peer has begun the run, with nothing heard before.
struct BeginsLog {};

/// What a peer has taken in: with a checkpoint, all that makes the same peer again.
using Heard = std::variant<BeginsLog, DataArrived, VerdictArrived>;

}  // namespace hearsay
