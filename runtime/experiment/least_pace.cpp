#include "runtime/experiment/least_pace.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/experiment/held_peers.hpp"
#include "runtime/experiment/method_size.hpp"
#include "runtime/network/pace.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/long_message.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
Bandwidth least_pace(const Experiment<Scalar>& experiment) {
  const double model_bytes = static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar);
  double most_bytes = 0.0;
  for (const PeerId id : {PeerId{0}, busiest_peer(experiment.topology.graph)}) {
    const double message = size_of_method(experiment, id).a_message * model_bytes;
    const double frame = header_bytes + std::min<double>(message, to_neighbor::usual_piece_bytes);
    const auto neighbors = static_cast<double>(partners_of(experiment, id).destinations.size());
    most_bytes = std::max(most_bytes, neighbors * frame);
  }
  // Of the bandwidth of a port, payloads have a part.
  const double share = payload_rate({1.0}).bytes_per_s;
  const double bits_per_s = 8.0 * most_bytes / share / seconds(experiment.settings.failure.lost_after);
  return {std::ceil(bits_per_s) / 8.0};
}

template <class Scalar>
void require_pace(const Experiment<Scalar>& experiment) {
  const Bandwidth pace = experiment.settings.pace;
  if (pace.unlimited()) return;
  const Bandwidth least = least_pace(experiment);
  if (pace.bytes_per_s >= least.bytes_per_s) return;
  throw Misuse(
      "network.pace", to_text(pace),
      "a message to each neighbor, or a piece of it, would hold up the heartbeats of a peer for longer "
      "than failure.lost_after = " +
          to_text(experiment.settings.failure.lost_after) + "; expected at least " + to_text(least));
}

#define HEARSAY_LEAST_PACE(Scalar)                                  \
  template Bandwidth least_pace<Scalar>(const Experiment<Scalar>&); \
  template void require_pace<Scalar>(const Experiment<Scalar>&);
HEARSAY_LEAST_PACE(float)
HEARSAY_LEAST_PACE(double)
#undef HEARSAY_LEAST_PACE

}  // namespace hearsay
