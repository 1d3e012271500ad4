#pragma once

#include "runtime/experiment/experiment.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// What the peers of this experiment must agree on.
template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment);

}  // namespace hearsay
