#include "runtime/process/drive_peer.hpp"

#include <algorithm>
#include <span>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/experiment/longest_payload.hpp"
#include "runtime/experiment/peer_memory.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/participant/session_input.hpp"
#include "runtime/process/freed_pages.hpp"
#include "runtime/process/peer_driver.hpp"
#include "runtime/wire/long_message.hpp"
#include "runtime/zmq/clock.hpp"

namespace hearsay {

namespace {

/// Returns the iterations of which peer `id` holds usable checkpoints. Unusable ones are passed over, with a
/// notice.
template <class Scalar>
std::vector<std::uint64_t> checkpoints_of(const Experiment<Scalar>& experiment, PeerId id,
                                          const Notice& notice) {
  std::vector<std::string> passed_over;
  std::vector<std::uint64_t> held =
      PeerArchive<Scalar>(experiment, id, archive_directory(experiment.settings)).holds(&passed_over);
  for (const std::string& why : passed_over)
    notice("peer " + std::to_string(id) + " passes over a checkpoint: " + why);
  return held;
}

/// The real network sets the pace of messages whose links change from round to round.
template <class Scalar>
bool sends_oldest_first(const Experiment<Scalar>& experiment, const PeerEntry& entry) {
  const bool is_real_network = !entry.same_machine || !entry.limits_bandwidth;
  return is_real_network && experiment.schedule->period() != 1 && !experiment.method->pattern.has_hub &&
         !experiment.depends_on_arrivals();
}

/// Returns how many messages of its sources can wait for a peer that is away or behind a slow link. Where
/// rounds close, nobody waits for it, so they are those of all rounds until the hub waits for a verdict.
template <class Scalar>
std::size_t held_frames_limit(const Experiment<Scalar>& experiment, const PeerSessionInput& session) {
  const std::uint64_t lead = experiment.settings.topology.rounds_close() ? largest_lead(experiment) : 0;
  return session.sources.size() * Inbox::limit_per_sender(experiment.peer_count(), session.staleness + lead);
}

template <class Scalar>
SocketInput socket_input(const Experiment<Scalar>& experiment, const PeerSessionInput& session,
                         const PeerEntry& entry, Timeline* timeline) {
  const RunSettings& settings = experiment.settings;
  const NetworkSettings& network = network_of(settings, session.self);
  const Availability there = availability_of(settings, session.self);
  const auto limited = [&]<class Rate>(Rate rate) { return entry.limits_bandwidth ? rate : Rate{}; };
  std::vector<Source> sources;
  for (const PeerId from : session.sources)
    sources.push_back({from, limited(arrival_rate(settings, from, session.self))});
  std::optional<ObserverLane> lane;
  const PeerId observer = observer_id(experiment.peer_count());
  if (settings.shapes_evaluations())
    lane.emplace(ObserverWays{
        Link(settings.run.seed, session.self, observer, link_settings(settings, session.self, observer)),
        arrival_rate(settings, observer, session.self), evaluation_frame_bytes(experiment)});
  return {.self = session.self,
          .run_id = run_id(session.agreement),
          .incarnation = session.incarnation,
          .sources = std::move(sources),
          .egress = EgressPort(limited(sending_rate(network)), settings.framing, there),
          .ingress = IngressPort(limited(receiving_rate(network)), settings.framing, there),
          .payload_limit_bytes = session.longest_message_bytes,
          .piece_bytes = session.piece_bytes,
          .held_frames_limit = held_frames_limit(experiment, session),
          .same_machine = entry.same_machine,
          .credentials = entry.credentials,
          .congestion = settings.congestion,
          .port = settings.pace,
          .oldest_first = sends_oldest_first(experiment, entry),
          .timeline = timeline,
          .observer_lane = std::move(lane),
          .slots = entry.slots,
          .partitions = Partitions(faults_of(settings.faults, experiment.peer_count()))};
}

/// Small models find their pages soon enough.
constexpr double bytes_worth_warming = 8e6;

/// Takes the pages of the peer's method and messages before anybody waits for them: of one message of each
/// neighbor, since few are an iteration ahead, and of its own, which takes the storage of one of them if that
/// is shared. Pieces of messages take pages between these, so there are some for them, too.
template <class Scalar>
void warm_memory_of(const Experiment<Scalar>& experiment, PeerId id) {
  const PeerMemory memory = memory_of_peer(experiment, id);
  double soon = memory.sent + memory.received / 2.0;
  if (memory.is_storage_shared) soon = (memory.sent + memory.received) / 2.0;
  if (memory.mixes_pieces) soon = memory.sent;
  const double vector_bytes = static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar);
  double bytes = (memory.method + std::max(memory.sent, soon)) * vector_bytes;
  if (memory.is_storage_shared || memory.mixes_pieces) {
    constexpr std::size_t pieces_of_source = 6;  // four that wait, one that comes, one that is read
    const std::size_t pieces = partners_of(experiment, id).sources.size() * pieces_of_source;
    const double of_messages = memory.mixes_pieces ? memory.received : memory.received / 4.0;
    bytes +=
        std::min(static_cast<double>(pieces * to_neighbor::usual_piece_bytes), of_messages * vector_bytes);
  }
  if (bytes >= bytes_worth_warming) warm_pages(static_cast<std::size_t>(bytes));
}

}  // namespace

template <class Scalar>
PeerEnd drive_peer(const Experiment<Scalar>& experiment, PeerId id, const PeerEntry& entry,
                   const RunControl& control) {
  PeerSessionInput input = session_input(experiment, agreement_of(experiment), id, incarnation_of_process(),
                                         entry.same_machine, entry.start_patience);
  if (entry.resumes && experiment.settings.failure.keeps_checkpoints())
    input.holds = checkpoints_of(experiment, id, control.notice);
  PeerSockets sockets(socket_input(experiment, input, entry, control.timeline), entry.bind_address);
  const std::optional<RunAddresses> run = entry.meet(sockets.bound_address());
  if (!run) return {3, ""};
  experiment.problem.objectives[id]->get_ready();
  const std::span<const std::byte> x_0 = std::as_bytes(view(experiment.problem.initial));
  const bool is_zero = give_back_zeros(x_0);
  warm_memory_of(experiment, id);
  std::vector<Destination> destinations;
  for (const PeerId to : input.destinations)
    destinations.push_back(
        {to, run->peers[to],
         Link(experiment.settings.run.seed, id, to, link_settings(experiment.settings, id, to))});
  input.observer_address = run->observer;
  PacketPool packets;
  Participant<Scalar> participant({.experiment = experiment,
                                   .checkpoints = checkpoint_rule(experiment.settings),
                                   .packets = packets,
                                   .addresses = run->peers,
                                   .is_awaited = control.resumes,
                                   .timeline = control.timeline},
                                  std::move(input));
  if (is_zero) give_back_known_zeros(x_0);  // its method has read them
  sockets.start(participant.session(), std::move(destinations), run->observer);
  TrainingTraffic unasked;
  TrainingTraffic& traffic = entry.traffic ? *entry.traffic : unasked;
  const PeerEnd end =
      PeerDriver<Scalar>(experiment, participant, packets, sockets, traffic, entry.slots, control).run();
  entry.on_end(end);
  return end;
}

template PeerEnd drive_peer<float>(const Experiment<float>&, PeerId, const PeerEntry&, const RunControl&);
template PeerEnd drive_peer<double>(const Experiment<double>&, PeerId, const PeerEntry&, const RunControl&);

}  // namespace hearsay
