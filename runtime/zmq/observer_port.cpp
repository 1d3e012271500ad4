#include "runtime/zmq/observer_port.hpp"

#include <algorithm>
#include <utility>

#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

template <class Scalar>
std::optional<ObserverNetwork> observer_network(const Experiment<Scalar>& experiment, bool same_machine) {
  const RunSettings& settings = experiment.settings;
  if (!settings.shapes_evaluations()) return std::nullopt;
  const PeerId self = observer_id(experiment.peer_count());
  ObserverNetwork network{.egress = EgressPort(sending_rate(settings.network), settings.framing),
                          .ingress = IngressPort(receiving_rate(settings.network), settings.framing),
                          .links = {},
                          .arrivals = {},
                          .bytes = evaluation_frame_bytes(experiment),
                          .same_machine = same_machine};
  for (PeerId id = 0; id < experiment.peer_count(); ++id) {
    network.links.emplace_back(settings.run.seed, self, id, link_settings(settings, self, id));
    network.arrivals.push_back(arrival_rate(settings, id, self));
  }
  return network;
}

ObserverPort::ObserverPort(ObserverNetwork network)
    : egress_(std::move(network.egress), network.same_machine),
      hold_(std::move(network.ingress)),
      bytes_(network.bytes) {
  for (std::size_t id = 0; id < network.links.size(); ++id)
    peers_.push_back({std::move(network.links[id]), std::move(network.arrivals[id])});
}

void ObserverPort::begin(Instant start_of_run) {
  egress_.begin(start_of_run);
  hold_.begin(start_of_run);
}

bool ObserverPort::holds(const FrameHeader& header) const {
  if (header.sender >= peers_.size()) return false;
  if (header.kind == FrameKind::result) return !peers_[header.sender].held.empty();
  return (header.kind == FrameKind::evaluation || header.kind == FrameKind::answer) &&
         is_on_the_way(header.iteration);
}

void ObserverPort::hold(const FrameHeader& header, PacketRef payload, Instant now) {
  PeerWays& from = peers_[header.sender];
  if (from.held.size() == most_held) return;
  const bool is_result = header.kind == FrameKind::result;
  const Instant due = is_result ? now : due_instant(header, now);
  from.last_due = std::max(from.last_due, due);
  from.held.push_back(header);
  HoldQueue::Held held{.due = from.last_due,
                       .sequence = next_sequence_++,
                       .frame_bytes = is_result ? 0 : bytes_.of(header.kind),
                       .arrival = from.arrival,
                       .key = {header.iteration, 0, header.sender},
                       .packet = std::move(payload)};
  held.word = header;
  hold_.add(std::move(held));
}

std::vector<HoldQueue::Held> ObserverPort::released(Instant now, Which which) {
  std::vector<HoldQueue::Held> come;
  hold_.release(which == Which::all ? Instant::max() : now, [&](const HoldQueue::Held& held) {
    peers_[held.key.sender].held.pop_front();
    if (held.word->kind != FrameKind::result) last_come_ = std::min(held.end, now);
    come.push_back(held);
  });
  return come;
}

void ObserverPort::complete(FrameHeader& alive, PeerId to, std::uint32_t incarnation) const {
  using from_observer::Alive;
  Alive said = from_observer::as_alive(alive);
  for (const FrameHeader& held : peers_[to].held) {
    if (held.incarnation != incarnation) continue;
    if (held.kind == FrameKind::evaluation)
      said.newest_evaluation = std::max(said.newest_evaluation, held.iteration);
    if (held.kind == FrameKind::result) said.state = Alive::State::has_result;
  }
  put(said, alive);
}

bool ObserverPort::send(FrameHeader& header, PeerId to, std::uint32_t incarnation, Instant now) {
  const bool is_question = header.kind == FrameKind::question;
  if ((!is_question && header.kind != FrameKind::verdict) || !is_on_the_way(header.iteration)) return true;
  PeerWays& way = peers_[to];
  if (is_question && header.iteration <= way.asked && incarnation == way.asked_incarnation &&
      now < way.question_due)
    return false;
  const Departure departure = egress_.stamp(header, bytes_.of(header.kind), now, now, way.to);
  if (is_question) {
    way.asked = header.iteration;
    way.asked_incarnation = incarnation;
    way.question_due = departure.due;
  }
  return true;
}

template std::optional<ObserverNetwork> observer_network<float>(const Experiment<float>&, bool);
template std::optional<ObserverNetwork> observer_network<double>(const Experiment<double>&, bool);

}  // namespace hearsay
