#pragma once

#include <memory>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns the peer's neighbors in the mixing graph; empty if the method does not use the graph. Destinations
/// are included only if links change from round to round.
template <class Scalar>
Partners mixing_partners(const Experiment<Scalar>& experiment, PeerId id);

/// Returns the method of peer `id`, which starts from `initial`, a model of the given layers.
template <class Scalar>
std::unique_ptr<Algorithm<Scalar>> make_method(const Experiment<Scalar>& experiment, PeerId id,
                                               const Vector<Scalar>& initial, Partners partners,
                                               const SegmentTable& segments);

}  // namespace hearsay
