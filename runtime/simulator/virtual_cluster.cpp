#include "runtime/simulator/virtual_cluster.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/observer/observer_input.hpp"
#include "runtime/participant/session_input.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr Duration start_patience = std::chrono::minutes(1);
/// How often a process, and the observer, look around at least.
constexpr Duration poll_interval = std::chrono::milliseconds(200);

std::string name_of(PeerId id) { return "peer " + std::to_string(id); }

}  // namespace

template <class Scalar>
VirtualCluster<Scalar>::VirtualCluster(const Experiment<Scalar>& experiment, Duration measured_gradient,
                                       const RunControl& control)
    : experiment_(experiment),
      measured_gradient_(measured_gradient),
      control_(control),
      evaluator_(experiment.problem, experiment.settings.run,
                 evaluated_in(*experiment.method, experiment.settings), who_judges(experiment.problem)),
      observer_(observer_input(experiment, start_patience), evaluator_, time_.now()),
      network_(experiment),
      processes_(experiment.peer_count()) {
  if (takes_checkpoints())
    for (Process& process : processes_) process.archive.emplace();
}

template <class Scalar>
RunOutcome<Scalar> VirtualCluster<Scalar>::run() {
  for (PeerId id = 0; id < processes_.size(); ++id)
    if (!std::ranges::binary_search(settings().failure.join_later, id)) start(id, false);
  tick_observer();
  while (!observer_.over()) {
    ensure(!time_.empty(), "the observer looks around until its session is over");
    if (control_.is_interrupted()) observer_.interrupt(time_.now());
    time_.step();
  }
  return outcome();
}

// Faults.

template <class Scalar>
void VirtualCluster<Scalar>::enter_faults() {
  for (const Fault& fault : faults_of(settings().faults, experiment_.peer_count()))
    for (const PeerId id : fault.peers)
      time_.at(observer_.origin() + fault.at, [this, fault, id] {
        if (happen(fault, id)) control_.notice(sentence_on(fault, id));
      });
}

template <class Scalar>
bool VirtualCluster<Scalar>::happen(const Fault& fault, PeerId id) {
  switch (fault.kind) {
    case Fault::Kind::death:
      return end_process(id, fault.lasts);
    case Fault::Kind::freeze:
      return freeze(id, *fault.lasts);
    case Fault::Kind::rejoin:
      return start_again(id);
    case Fault::Kind::partition:  // the network knows it
      return true;
  }
  return false;
}

template <class Scalar>
bool VirtualCluster<Scalar>::end_process(PeerId id, std::optional<Duration> lasts) {
  if (!processes_[id].is_up()) return false;
  processes_[id].participant.reset();
  processes_[id].is_frozen = false;
  processes_[id].held_up.clear();
  if (lasts) time_.at(time_.now() + *lasts, [this, id] { start_again(id); });
  if (lasts && takes_checkpoints()) return true;
  observer_.lose_peer(id, name_of(id) + " was lost: killed by signal 9");
  serve_observer();
  return true;
}

/// From its checkpoint, or, if the run takes none, without a state.
template <class Scalar>
bool VirtualCluster<Scalar>::start_again(PeerId id) {
  if (processes_[id].is_up() || observer_.over()) return false;
  const bool resumes = takes_checkpoints() && processes_[id].life > 0;
  restarts_ += resumes;
  start(id, resumes);
  return true;
}

template <class Scalar>
bool VirtualCluster<Scalar>::freeze(PeerId id, Duration lasts) {
  Process& process = processes_[id];
  if (!process.is_up() || process.is_frozen) return false;
  process.is_frozen = true;
  time_.at(time_.now() + lasts, [this, id, life = process.life] {
    if (processes_[id].life == life && processes_[id].is_up()) thaw(id);
  });
  return true;
}

template <class Scalar>
void VirtualCluster<Scalar>::thaw(PeerId id) {
  processes_[id].is_frozen = false;
  for (auto& happens : std::exchange(processes_[id].held_up, {})) reach(id, std::move(happens));
}

// Processes.

template <class Scalar>
void VirtualCluster<Scalar>::start(PeerId id, bool resumes) {
  Process& process = processes_[id];
  ++process.life;
  process.is_frozen = false;
  process.held_up.clear();
  process.gradients = 0;
  PeerSessionInput session = session_input(experiment_, id, 1000 * id + process.life, true, start_patience);
  if (resumes) session.holds = process.archive->holds();
  process.participant = std::make_unique<Participant<Scalar>>(
      ParticipantInput<Scalar>{.experiment = experiment_,
                               .checkpoints = checkpoint_rule(settings()),
                               .packets = packets_,
                               .timeline = control_.timeline},
      std::move(session));
  process.participant->session().begin(time_.now());
  tick(id);
}

template <class Scalar>
void VirtualCluster<Scalar>::at(Instant when, PeerId id, std::function<void()> happens) {
  time_.at(when, [this, id, life = processes_[id].life, happens = std::move(happens)] {
    if (processes_[id].life == life) happen_to(id, happens);
  });
}

template <class Scalar>
void VirtualCluster<Scalar>::happen_to(PeerId id, std::function<void()> happens) {
  Process& process = processes_[id];
  if (process.is_frozen)
    process.held_up.push_back(std::move(happens));
  else if (process.is_up())
    happens();
}

template <class Scalar>
void VirtualCluster<Scalar>::tick(PeerId id) {
  const Instant next = processes_[id].participant->session().tick(time_.now());
  go_on(id);
  if (processes_[id].is_up()) wake(id, std::min(next, time_.now() + poll_interval));
}

template <class Scalar>
void VirtualCluster<Scalar>::wake(PeerId id, Instant when) {
  processes_[id].wakes_at = when;
  at(when, id, [this, id, when] {
    if (processes_[id].wakes_at == when) tick(id);
  });
}

/// Lets the participant go on, and does what it asks for, until it has to wait.
template <class Scalar>
void VirtualCluster<Scalar>::go_on(PeerId id) {
  Process& process = processes_[id];
  do {
    while (process.participant->advance(time_.now())) carry_out(id);
    carry_out(id);
  } while (begin_work(id));
  if (const auto& end = process.participant->end()) {
    if (end->exit_code != 0 && settings().failure.drops() && observer_.is_open())
      control_.notice(end->reason);  // the others go on
    return;
  }
  const Instant again = process.participant->look_again();
  if (again > time_.now() && again < process.wakes_at) wake(id, again);
}

/// False if the participant asks for nothing.
template <class Scalar>
bool VirtualCluster<Scalar>::begin_work(PeerId id) {
  Process& process = processes_[id];
  const Instant now = time_.now();
  const Work* const work = process.participant->next_work(now);
  if (!work) return false;
  carry_out(id);
  if (const auto takes = do_work(process, *work, experiment_, measured_gradient_, packets_, now))
    at(now + *takes, id, [this, id, now, ended = now + *takes] {
      processes_[id].participant->gradient_arrived(now, ended, time_.now());
      go_on(id);
    });
  carry_out(id);
  return true;
}

/// Does what the driver of a process does after every call.
template <class Scalar>
void VirtualCluster<Scalar>::carry_out(PeerId id) {
  Process& process = processes_[id];
  Participant<Scalar>& participant = *process.participant;
  for (const auto& heard : participant.heard()) process.archive->hear(heard);
  participant.heard().clear();
  for (const PeerNews& news : participant.news()) {
    control_.notice(news.sentence);
    if (news.kind == PeerNews::Kind::joins) process.gradients = participant.peer().iteration();
  }
  participant.news().clear();
  std::vector<PeerFrame> words;
  words.swap(participant.session().outbox());
  for (PeerFrame& word : words) send(id, word);
}

// Frames.

template <class Scalar>
void VirtualCluster<Scalar>::send(PeerId from, PeerFrame& word) {
  word.header.payload_bytes =
      static_cast<std::uint32_t>(word.packet ? word.packet->size() : word.payload.size());
  if (word.packet) return send_data(from, word);
  const PeerId to = word.to;
  switch (word.way) {
    case PeerFrame::Way::observer:
      if (is_cut(from, observer_peer)) return;
      return time_.at(time_.now(), [this, head = word.header, payload = word.payload] {
        if (observer_.over()) return;
        observer_.hear(head, payload, time_.now());
        serve_observer();
      });
    case PeerFrame::Way::reply:
      if (is_cut(from, to)) return;
      return reach(to, [this, from, to, head = word.header, payload = word.payload] {
        processes_[to].participant->session().hear_destination(from, head, payload);
        go_on(to);
      });
    case PeerFrame::Way::outlet:
      if (is_cut(from, to)) return;
      return reach(to, [this, to, head = word.header, payload = word.payload] {
        processes_[to].participant->session().hear_source(head, payload, time_.now());
        go_on(to);
      });
  }
}

/// A message passes the port of its sender at once. Its receiver holds it until it is due, as in
/// `hearsay run`.
template <class Scalar>
void VirtualCluster<Scalar>::send_data(PeerId from, const PeerFrame& word) {
  const PeerId to = word.to;
  const Instant due = network_.send(from, to, header_bytes + word.packet->size(), time_.now());
  if (is_cut(from, to)) return;
  reach(to,
        [this, to, head = word.header, packet = word.packet, due] { receive_data(to, head, packet, due); });
}

template <class Scalar>
void VirtualCluster<Scalar>::receive_data(PeerId to, const FrameHeader& head, const PacketRef& packet,
                                          Instant due) {
  PeerSession& session = processes_[to].participant->session();
  const bool is_data = session.hear_source(head, packet->bytes(), time_.now()) == FrameUse::data;
  go_on(to);
  if (!is_data) return;
  at(due, to, [this, to, head, packet] {
    const Instant release = network_.receive(head.sender, to, header_bytes + packet->size(), time_.now());
    at(release, to, [this, to, head, packet] {
      processes_[to].participant->session().release(
          {{head.iteration, head.slot, head.sender}, packet, {head.degree, head.replica_digest}});
      go_on(to);
    });
  });
}

template <class Scalar>
void VirtualCluster<Scalar>::serve_observer() {
  std::vector<ObserverFrame> words;
  words.swap(observer_.outbox());
  for (std::size_t next = 0; next < words.size(); ++next) {
    ObserverFrame& word = words[next];
    const PeerId to = word.to;
    const bool is_there = processes_[to].is_up();
    if (!is_there || (word.only_to && *word.only_to != processes_[to].incarnation())) {
      word.only_to ? observer_.note_unreachable(to, *word.only_to) : observer_.note_unreachable(to);
      std::ranges::move(observer_.outbox(), std::back_inserter(words));
      observer_.outbox().clear();
      continue;
    }
    if (is_cut(to, observer_peer)) continue;
    word.header.payload_bytes = static_cast<std::uint32_t>(word.payload.size());
    reach(to, [this, to, head = word.header, payload = word.payload] {
      processes_[to].participant->session().hear_observer(head, payload, time_.now());
      go_on(to);
    });
  }
  report_evaluations();
  if (observer_.started() && !std::exchange(has_entered_faults_, true)) enter_faults();
}

template <class Scalar>
void VirtualCluster<Scalar>::tick_observer() {
  observer_.tick(time_.now());
  observer_.judge_silence(time_.now());
  serve_observer();
  time_.at(time_.now() + poll_interval / 4, [this] { tick_observer(); });
}

template <class Scalar>
void VirtualCluster<Scalar>::report_evaluations() {
  if (!observer_.started()) return;
  for (; reported_ < observer_.evaluations().size(); ++reported_) {
    control_.on_evaluation(observer_.evaluations()[reported_]);
    control_.on_meters(evaluator_.last_meters());
  }
  for (const ModelSet& models : evaluator_.take_models_to_keep()) control_.on_models(models);
}

template <class Scalar>
RunOutcome<Scalar> VirtualCluster<Scalar>::outcome() {
  RunOutcome<Scalar> result = evaluator_.with_models(observer_.outcome());
  result.restarts = restarts_;
  const bool is_own = settings().run.evaluate == RunSettings::Run::Evaluate::own;
  if (is_own) result.models.assign(processes_.size(), {});
  for (PeerId id = 0; id < processes_.size(); ++id) {
    if (!processes_[id].participant) continue;
    const Vector<Scalar>& model = processes_[id].participant->peer().model();
    experiment_.problem.objectives[id]->take_final_model(model);
    if (is_own) result.models[id] = model;
  }
  return result;
}

template class VirtualCluster<float>;
template class VirtualCluster<double>;

}  // namespace hearsay
