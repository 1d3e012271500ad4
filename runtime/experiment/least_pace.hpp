#pragma once

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Returns the least bandwidth at which a heartbeat of any peer, behind a frame to each of its neighbors,
/// leaves within failure.lost_after, rounded up to whole bits per second. With a slower network.pace the
/// neighbors would take the peer for lost.
template <class Scalar>
Bandwidth least_pace(const Experiment<Scalar>& experiment);

/// Throws Misuse if network.pace is slower.
template <class Scalar>
void require_pace(const Experiment<Scalar>& experiment);

}  // namespace hearsay
