#pragma once

#include <cstdint>

#include "runtime/experiment/experiment.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// Returns the settings on which all peers of a run have to agree. `dimension` is the model's. `data_digest`
/// covers the loaded data (after scaling) and an initial model from a file, not the files' paths.
/// `topology_digest` covers peers, edges and weights. Throws Misuse if a value is longer than 1,024 bytes or
/// has control characters.
Agreement make_agreement(const RunSettings& settings, std::uint64_t dimension, std::uint64_t data_digest,
                         std::uint64_t topology_digest);

/// The same for an experiment.
template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment);

}  // namespace hearsay
