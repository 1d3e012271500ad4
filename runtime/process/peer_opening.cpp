#include "runtime/process/peer_opening.hpp"

#include <cstdio>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/zmq/clock.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<PeerSockets> open_sockets(const Experiment<Scalar>& experiment, PeerId id,
                                          const PeerOpening& opening) {
  const RunSettings& settings = experiment.settings;
  const NetworkSettings& network = network_of(settings, id);
  const auto limited = [&]<class Rate>(Rate rate) { return opening.limits_bandwidth ? rate : Rate{}; };
  std::vector<Source> sources;
  for (const PeerId from : partners_of(experiment, id).sources)
    sources.push_back({from, limited(arrival_rate(settings, from, id))});
  // The longest message: 10 bytes a coordinate (a variable-length integer) and some scales.
  const std::size_t payload_limit_bytes =
      65536 + 16 * static_cast<std::size_t>(experiment.problem.dimension());
  std::optional<std::vector<std::uint64_t>> holds;
  if (opening.goes_on && settings.failure.checkpoint_every != 0) {
    std::vector<std::string> passed_over;
    holds = PeerArchive<Scalar>(experiment, id, archive_directory(settings)).holds(&passed_over);
    for (const std::string& why : passed_over)
      std::fprintf(stderr, "hearsay: peer %u passes over a checkpoint: %s\n", id, why.c_str());
  }
  return std::make_unique<PeerSockets>(
      PeerSocketsInput{
          .self = id,
          .incarnation = incarnation_of_process(),
          .agreement = agreement_of(experiment),
          .iterations = experiment.iterations,
          .sources = std::move(sources),
          .egress = EgressPort(limited(sending_rate(network)), settings.framing),
          .ingress = IngressPort(limited(receiving_rate(network)), settings.framing),
          .payload_limit_bytes = payload_limit_bytes,
          .held_frames_limit = partners_of(experiment, id).sources.size() *
                               Inbox::limit_per_sender(experiment.peer_count(), staleness_of(settings)),
          .same_machine = opening.same_machine,
          .asynchronous = experiment.method->asynchronous,
          .staleness = staleness_of(settings),
          .start_patience = opening.start_patience,
          .heartbeat = heartbeat_interval(settings.failure.lost_after),
          .holds = std::move(holds),
          .largest_lead =
              settings.failure.checkpoint_every == 0 ? std::nullopt : std::optional(largest_lead(experiment)),
          .model_bytes = model_bytes_of(experiment),
          .absent = settings.failure.join_later,
          .credentials = opening.credentials},
      opening.bind_address);
}

template std::unique_ptr<PeerSockets> open_sockets<float>(const Experiment<float>&, PeerId,
                                                          const PeerOpening&);
template std::unique_ptr<PeerSockets> open_sockets<double>(const Experiment<double>&, PeerId,
                                                           const PeerOpening&);

}  // namespace hearsay
