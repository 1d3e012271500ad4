#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// What a method keeps and sends, in vectors of R^d.
struct MethodSize {
  double state = 1.0;         ///< one that refuses a small model has a model, at least
  double an_iteration = 1.0;  ///< of messages, of which each destination gets its own, or all get the same
  double a_message = 1.0;
  bool takes_pieces = false;  ///< Algorithm::takes_pieces
};

/// Returns the size of the method of peer `id`, which is made for a small model.
template <class Scalar>
MethodSize size_of_method(const Experiment<Scalar>& experiment, PeerId id);

/// Returns what the compressors of peer `id` keep from message to message, in vectors of R^d: workers only
/// read what their hub has compressed.
template <class Scalar>
double scratch_of_peer(const Experiment<Scalar>& experiment, PeerId id);

}  // namespace hearsay
