#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// What a process knows when it decides what may leave.
struct Moment {
  Instant now;
  bool training_waits = false;  ///< for messages through the same port
  bool all_is_read = true;      ///< no frame waits to be heard: what is overdue is lost
};

}  // namespace hearsay
