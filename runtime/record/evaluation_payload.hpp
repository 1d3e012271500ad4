#pragma once

#include <cstddef>
#include <vector>

#include "runtime/record/json.hpp"
#include "runtime/record/own_evaluation.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the payload of the frame in which peer `peer`, whose model is x, tells the observer how it stands:
/// its meters, and its model, or what it says of that under run.evaluate = "own".
template <class Scalar>
std::vector<std::byte> evaluation_payload(const Problem<Scalar>& problem, const RunSettings::Run& run,
                                          PeerId peer, const Vector<Scalar>& x, const PeerMeters& meters) {
  if (run.evaluate != RunSettings::Run::Evaluate::own) return encode_snapshot(meters, x);
  return encode_own_snapshot(meters, own_evaluation(problem, peer, x, run.seed));
}

}  // namespace hearsay
