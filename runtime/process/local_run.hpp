#pragma once

#include "runtime/experiment/experiment.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// Trains with all peers of the experiment on this machine, one process each, over ZeroMQ on loopback. The
/// observer runs in this process. The peers are forked from it, so that all share one copy of the data. It
/// must have no other threads and no ZeroMQ context. The peers end when it ends, except under policy "drop".
///
/// `network`: if not null, each peer runs in its own network namespace there, whatever addresses a topology
/// file gives, and the kernel replaces the built-in shaper. It must be made for this experiment.
///
/// A peer that is lost ends the run with status `lost` and a sentence that says which and why. Exceptions:
/// with checkpoints a killed peer is started again, and under policy "drop" the run goes on without it.
/// Throws Misuse if the input is wrong or the machine cannot run so many peers.
template <class Scalar>
RunOutcome<Scalar> run_local(const Experiment<Scalar>& experiment, const RunControl& control = {},
                             const KernelNetwork* network = nullptr);

}  // namespace hearsay
