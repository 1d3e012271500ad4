#pragma once

#include <poll.h>

namespace hearsay::test {

/// Waits for a fault that has a duration: a process stands still, or a cable is unplugged. Never use it to
/// wait for an effect.
inline void let_pass(int milliseconds) { poll(nullptr, 0, milliseconds); }

}  // namespace hearsay::test
