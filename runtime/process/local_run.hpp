#pragma once

#include "runtime/experiment/experiment.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// Trains with all peers of the experiment on this machine, one process each, over ZeroMQ on loopback.
/// The peers are forked from this process, which must have no other threads and no ZeroMQ context, so
/// that all share one copy of the data; they end when it does. The observer runs here.
///
/// With a `network`, made for the experiment, each peer runs in its namespace there, whatever addresses
/// a topology file gives, and the kernel does what the built-in shaper would do.
///
/// A peer that dies, or cannot take part, ends the run with status lost and a sentence that says which
/// and why.
template <class Scalar>
RunOutcome<Scalar> run_local(const Experiment<Scalar>& experiment, const RunControl& control = {},
                             const KernelNetwork* network = nullptr);

}  // namespace hearsay
