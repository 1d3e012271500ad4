#include "runtime/observer/meter_readings.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

void MeterReadings::note(PeerId peer, PeerMeters meters) {
  ensure(peer < before_.size(), "meters are of a peer of this run");
  if (keeps_newest_) last_[peer] = std::move(meters);
}

void MeterReadings::begin_anew(PeerId peer) {
  ensure(keeps_newest_, "peers join runs that keep their meters");
  PeerMeters& last = last_[peer];
  before_[peer].bytes_sent += last.bytes_sent;
  before_[peer].messages_sent += last.messages_sent;
  before_[peer].gradient_evaluations += last.counters.gradient_evaluations;
  last = {};
}

Evaluation MeterReadings::together(std::uint64_t iteration,
                                   const std::vector<std::optional<ToldMeters>>& told) const {
  ensure(told.size() == before_.size(), "the meters of an evaluation are by peer");
  Evaluation evaluation;
  evaluation.iteration = iteration;
  Duration last{0};
  for (PeerId peer = 0; peer < told.size(); ++peer) {
    ensure(told[peer] || keeps_newest_, "of a peer that tells nothing, the newest meters count");
    const ToldMeters meters = told[peer] ? *told[peer] : told_meters(last_[peer]);
    last = std::max(last, meters.now);
    // Summed as seconds: durations from a faulty peer could overflow.
    evaluation.compute_seconds += seconds(meters.compute);
    evaluation.wait_seconds += seconds(meters.wait);
    evaluation.wire_seconds += seconds(meters.wire);
    evaluation.bytes_sent += meters.bytes_sent + before_[peer].bytes_sent;
    evaluation.messages_sent += meters.messages_sent + before_[peer].messages_sent;
    evaluation.gradient_evaluations += meters.gradient_evaluations + before_[peer].gradient_evaluations;
    evaluation.gossip_rounds = std::max(evaluation.gossip_rounds, meters.gossip_rounds);
  }
  const auto peer_count = static_cast<double>(told.size());
  evaluation.seconds = seconds(last);
  evaluation.compute_seconds /= peer_count;
  evaluation.wait_seconds /= peer_count;
  evaluation.wire_seconds /= peer_count;
  return evaluation;
}

}  // namespace hearsay
