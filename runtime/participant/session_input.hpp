#pragma once

#include <cstdint>

#include "runtime/experiment/experiment.hpp"
#include "runtime/session/context.hpp"

namespace hearsay {

/// Returns what the session of peer `id` is made from, without what its driver alone knows: addresses, and
/// the checkpoints that it holds. `incarnation`: of its process. `same_machine`: all peers share one clock.
template <class Scalar>
PeerSessionInput session_input(const Experiment<Scalar>& experiment, PeerId id, std::uint32_t incarnation,
                               bool same_machine, Duration start_patience);

}  // namespace hearsay
