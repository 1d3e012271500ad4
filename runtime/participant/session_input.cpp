#include "runtime/participant/session_input.hpp"

#include <utility>

#include "runtime/experiment/longest_payload.hpp"
#include "runtime/experiment/standby_partners.hpp"
#include "runtime/network/link.hpp"
#include "runtime/peer/staleness.hpp"

namespace hearsay {

template <class Scalar>
PeerSessionInput session_input(const Experiment<Scalar>& experiment, Agreement agreement, PeerId id,
                               std::uint32_t incarnation, bool same_machine, Duration start_patience) {
  const RunSettings& settings = experiment.settings;
  const Partners partners = partners_of(experiment, id);
  PeerSessionInput input{.self = id,
                         .incarnation = incarnation,
                         .agreement = std::move(agreement),
                         .iterations = experiment.iterations,
                         .sources = partners.sources,
                         .destinations = partners.destinations,
                         .addresses = {},
                         .same_machine = same_machine,
                         .asynchronous = experiment.method->asynchronous,
                         .staleness = staleness_of(settings),
                         .start_patience = start_patience,
                         .heartbeat = heartbeat_interval(settings.failure.lost_after),
                         .model_bytes = model_bytes_of(experiment),
                         .absent = settings.failure.join_later,
                         .quiet_destinations = quiet_destinations(settings, id),
                         .paced_by_receiver = !is_emulated(settings),
                         .longest_message_bytes = longest_payload_bytes(experiment)};
  if (settings.failure.keeps_checkpoints()) input.largest_lead = largest_lead(experiment);
  return input;
}

namespace {

std::string address_of(PeerId id, const std::vector<std::string>& addresses) {
  return addresses.empty() ? "" : addresses[id];
}

}  // namespace

PeerSessionInput with_addresses(PeerSessionInput input, const std::vector<std::string>& addresses) {
  input.addresses.clear();
  for (const PeerId to : input.destinations) input.addresses.push_back(address_of(to, addresses));
  return input;
}

PeerSessionInput with_packets(PeerSessionInput input, PacketPool& packets) {
  input.packets = &packets;
  return input;
}

std::vector<WatchedPeer> watched_by(const PeerSessionInput& input,
                                    const std::vector<std::string>& addresses) {
  std::vector<WatchedPeer> watched;
  for (const PeerId source : input.sources) watched.push_back({source, address_of(source, addresses)});
  return watched;
}

template PeerSessionInput session_input<float>(const Experiment<float>&, Agreement, PeerId, std::uint32_t,
                                               bool, Duration);
template PeerSessionInput session_input<double>(const Experiment<double>&, Agreement, PeerId, std::uint32_t,
                                                bool, Duration);

}  // namespace hearsay
