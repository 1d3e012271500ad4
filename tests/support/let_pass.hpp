#pragma once

#include <poll.h>

namespace hearsay::test {

/// The time is part of the fault: somebody stands still, or a cable is out, for so long. Never to wait for an
/// effect.
inline void let_pass(int milliseconds) { poll(nullptr, 0, milliseconds); }

}  // namespace hearsay::test
