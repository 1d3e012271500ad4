#pragma once

#include "runtime/experiment.hpp"
#include "runtime/handshake.hpp"

namespace hearsay {

/// What the peers of this experiment must agree on.
template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment);

}  // namespace hearsay
