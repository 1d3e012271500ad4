#pragma once

#include <cstddef>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns to how many peers `id` sends at the same time, at most: a method of gossip to all neighbors of a
/// round, a hub to its workers. A ring, a sum by doubling and an asynchronous exchange send to one after the
/// other. Of a schedule that does not repeat, the first rounds are looked at. At least 1.
template <class Scalar>
std::size_t sends_at_once(const Experiment<Scalar>& experiment, PeerId id);

}  // namespace hearsay
