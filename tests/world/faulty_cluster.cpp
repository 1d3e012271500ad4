#include "tests/world/faulty_cluster.hpp"

#include <algorithm>

#include "runtime/checkpoint/replay.hpp"
#include "runtime/experiment/hub_standby.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "tests/world/replica_corruption.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

using namespace std::chrono_literals;

constexpr Duration gradient_time = 500us;
constexpr Duration look_around = 50ms;  // the observer's

}  // namespace

FaultyCluster::FaultyCluster(const Experiment<double>& experiment, std::uint64_t seed, Weather weather,
                             std::filesystem::path archive)
    : experiment_(experiment),
      weather_(weather),
      random_(seed, 0, 0, Purpose::data),
      archive_(std::move(archive)),
      evaluator_(experiment.problem, experiment.settings.run,
                 evaluated_in(*experiment.method, experiment.settings), who_judges(experiment.problem)),
      observer_(std::in_place, observer_input(experiment, 1min), evaluator_, now_),
      nodes_(experiment.peer_count()),
      previous_arrival_(std::size_t{experiment.peer_count() + 1} * (experiment.peer_count() + 1)) {}

void FaultyCluster::at(Instant when, std::function<void()> happens) {
  events_.push({when, next_sequence_++, std::move(happens)});
}

void FaultyCluster::at(Instant when, PeerId id, std::function<void()> happens) {
  at(when, [this, id, life = nodes_[id].life, happens = std::move(happens)] {
    Node& node = nodes_[id];
    if (node.life != life || !node.session) return;
    if (node.frozen)
      node.held_up.push_back(happens);
    else
      happens();
  });
}

/// Starts a process of peer `id`. If `resumes`, it resumes from its archive.
void FaultyCluster::start(PeerId id, bool resumes) {
  const CheckpointRule checkpoints =
      archive_.empty() ? CheckpointRule{} : checkpoint_rule(experiment_.settings);
  const Partners partners = partners_of(experiment_, id);
  Node& node = nodes_[id];
  ++node.life;
  node.computes = node.started = node.reported = node.came_back = node.unobserved = node.frozen = false;
  node.early.clear();
  node.held_up.clear();
  node.awaited.reset();
  node.observer_heard_at = now_;
  node.rounds = RoundClock(experiment_.settings.topology.round_deadline);
  node.earlier.push_back({std::exchange(node.joined_at, 0), std::exchange(node.rows, {})});
  node.peer = make_peer(experiment_, id, packets_, checkpoints);
  node.archive.reset();
  if (checkpoints.any()) node.archive.emplace(experiment_, id, archive_);
  PeerSessionInput input{.self = id,
                         .incarnation = incarnation_of(id),
                         .agreement = agreement_of(experiment_),
                         .iterations = experiment_.iterations,
                         .sources = partners.sources,
                         .destinations = partners.destinations,
                         .addresses = std::vector<std::string>(partners.destinations.size(), "here"),
                         .same_machine = true,
                         .asynchronous = experiment_.method->asynchronous,
                         .staleness = staleness_of(experiment_.settings),
                         .start_patience = 1min,
                         .heartbeat = heartbeat_interval(experiment_.settings.failure.lost_after),
                         .absent = experiment_.settings.failure.join_later,
                         .quiet_destinations = quiet_destinations(experiment_.settings, id)};
  if (resumes) input.holds = node.archive->holds();
  input.model_bytes = model_bytes_of(experiment_);
  if (experiment_.settings.failure.keeps_checkpoints()) input.largest_lead = largest_lead(experiment_);
  if (drops()) {
    std::vector<WatchedPeer> watched;
    for (const PeerId source : partners.sources) watched.push_back({source, ""});
    node.watch.emplace(id, experiment_.settings.failure.lost_after,
                       heartbeat_interval(experiment_.settings.failure.lost_after), AfterSilence::drops_it,
                       std::move(watched));
    node.heard_at.assign(nodes_.size(), now_);
  }
  node.session = std::make_unique<PeerSession>(std::move(input));
  node.session->begin(now_);
  serve(id);
  tick(id);
}

void FaultyCluster::kill(PeerId id) {
  if (nodes_[id].session && nodes_[id].started) ++crashes;
  nodes_[id].session.reset();
  nodes_[id].peer.reset();
}

void FaultyCluster::crash(PeerId id, Duration when, Duration back) {
  at(Instant(when), [this, id] { kill(id); });
  at(Instant(back), [this, id] { start(id, true); });
}

void FaultyCluster::lose(PeerId id, Duration when) {
  at(Instant(when), [this, id] { kill(id); });
}

void FaultyCluster::freeze(PeerId id, Duration from, Duration until) {
  at(Instant(from), [this, id] { nodes_[id].frozen = true; });
  at(Instant(until), [this, id] {
    nodes_[id].frozen = false;
    for (const auto& happens : std::exchange(nodes_[id].held_up, {})) at(now_, id, happens);
  });
}

void FaultyCluster::crash_all(Duration when, Duration back) {
  at(Instant(when), [this] {
    for (PeerId id = 0; id < nodes_.size(); ++id) kill(id);
  });
  at(Instant(back), [this] {
    renew_observer();
    for (PeerId id = 0; id < nodes_.size(); ++id) start(id, true);
  });
}

void FaultyCluster::crash_first(Duration when, Duration back) {
  at(Instant(when), [this] {
    kill(0);
    // An observer that sends nothing is as good as dead.
    observer_is_dead_ = true;
    observer_->outbox().clear();
  });
  at(Instant(back), [this] {
    observer_is_dead_ = false;
    renew_observer();
    start(0, true);
  });
}

void FaultyCluster::renew_observer() {
  const RunRecord earlier{observer_->evaluations()};
  evaluator_ = Observer<double>(experiment_.problem, experiment_.settings.run,
                                evaluated_in(*experiment_.method, experiment_.settings),
                                who_judges(experiment_.problem));
  observer_.emplace(observer_input(experiment_, 1min), evaluator_, now_, earlier);
}

/// The peer answers after some time, as one that is computing a gradient does.
void FaultyCluster::answer(PeerId id, const ScoreAsked& question) {
  auto model = model_of<double>(question.model, experiment_.problem.dimension());
  if (question.iteration == 0) model = experiment_.problem.initial;
  ensure(model.has_value(), "a question is on a model");
  ++judged;
  at(now_ + std::chrono::milliseconds(random_.below(300)), id,
     [this, id, model, iteration = question.iteration] {
       const LocalScore score = experiment_.problem.objectives[id]->score(*model);
       nodes_[id].session->tell_observer({FrameKind::answer, iteration, encode_score(score)});
       serve(id);
     });
}

void FaultyCluster::corrupt_if_due(Peer<double>& peer) {
  const auto due = std::ranges::find_if(corruptions_, [&](const Corruption& corruption) {
    return corruption.holder == peer.id() && corruption.after_iteration <= peer.iteration();
  });
  if (due == corruptions_.end() || random_.below(2) == 0) return;  // so the instant is random
  if (!flip_replica_bit(peer.algorithm(), random_)) return;        // all replicas are still 0
  ++corrupted;
  corruptions_.erase(due);
}

bool FaultyCluster::run(Duration limit) {
  for (PeerId id = 0; id < nodes_.size(); ++id)
    if (!std::ranges::binary_search(experiment_.settings.failure.join_later, id)) start(id, false);
  std::function<void()> look = [&] {
    if (!observer_is_dead_) observer_->tick(now_);
    if (drops()) observer_->judge_silence(now_);
    serve_observer();
    for (PeerId id = 0; id < nodes_.size(); ++id)
      if (drops() && nodes_[id].session && !nodes_[id].frozen) check_deadlines(id);
    at(now_ + look_around, look);
  };
  look();
  while (!observer_->over() && !events_.empty() && now_ < Instant(limit)) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.happens();
  }
  return observer_->over();
}

void FaultyCluster::tick(PeerId id) {
  const Instant next = nodes_[id].session->tick(now_);
  serve(id);
  at(next, id, [this, id] { tick(id); });
}

/// Carries out what a session asks for, until it asks for nothing more.
void FaultyCluster::serve(PeerId id) {
  Node& node = nodes_[id];
  PeerSession& session = *node.session;
  while (!session.outbox().empty() || !session.events().empty()) {
    std::vector<PeerFrame> words;
    words.swap(session.outbox());
    for (PeerFrame& word : words) {
      const std::span<const std::byte> payload = word.payload;
      Frame frame{word.header, {payload.begin(), payload.end()}};
      if (word.packet) frame.payload.assign(word.packet->bytes().begin(), word.packet->bytes().end());
      frame.header.payload_bytes = static_cast<std::uint32_t>(frame.payload.size());
      const PeerId to = word.to;
      if (word.way == PeerFrame::Way::observer) {
        send(id, observer_place(), std::move(frame), [this](const Frame& arrived) {
          if (observer_is_dead_) return;
          observer_->hear(arrived.header, arrived.payload, now_);
          serve_observer();
        });
      } else if (word.way == PeerFrame::Way::reply) {
        send(id, to, std::move(frame), [this, id, to](const Frame& arrived) {
          nodes_[to].session->hear_destination(id, arrived.header, arrived.payload);
          serve(to);
        });
      } else {
        send(id, to, std::move(frame), [this, to](const Frame& arrived) {
          Node& receiver = nodes_[to];
          if (drops()) receiver.heard_at[arrived.header.sender] = now_;
          if (receiver.session->hear_source(arrived.header, arrived.payload) == FrameUse::data) {
            PacketBuffer buffer = packets_.acquire();
            std::ranges::copy(arrived.payload, buffer.resize(arrived.payload.size()).begin());
            const MessageKey key{arrived.header.iteration, arrived.header.slot, arrived.header.sender};
            const PacketRef packet = std::move(buffer).seal();
            hear(receiver, {key, packet, {arrived.header.degree, arrived.header.replica_digest}});
            settle(receiver);
          }
          serve(to);
        });
      }
    }
    std::vector<SocketEvent> events;
    events.swap(session.events());
    for (SocketEvent& event : events) handle(id, event);
    settle(node);
  }
}

/// Delivers data as the driver does: data wait until the log is begun.
void FaultyCluster::hear(Node& node, const DataArrived& data) {
  if (!node.started && !node.came_back) {
    node.early.push_back(data);
    return;
  }
  if (node.archive) ensure(!node.archive->hear(data.key, data.packet), "the log can be written");
  node.peer->deliver(data.key, data.packet, data.metadata);
}

void FaultyCluster::handle(PeerId id, SocketEvent& event) {
  Node& node = nodes_[id];
  if (const auto* resume = std::get_if<ResumeFrom>(&event)) {
    RestoredPeer<double> restored = resume->iteration
                                        ? node.archive->restored_at(*resume->iteration, packets_)
                                        : node.archive->restored(packets_);
    node.peer = std::move(restored.peer);
    replayed += restored.log.size();
    node.session->resume(
        replay(experiment_, *node.peer, std::move(restored.session), restored.log, restored.meters));
    node.came_back = true;
  } else if (std::holds_alternative<RunStarts>(event)) {
    node.started = true;
    if (node.came_back) return;
    if (node.archive) ensure(!node.archive->begin(), "the log can be begun");
    node.peer->start();
    for (const DataArrived& data : std::exchange(node.early, {})) hear(node, data);
  } else if (const auto* verdict = std::get_if<VerdictArrived>(&event)) {
    if (node.archive)
      ensure(!node.archive->hear_verdict(verdict->evaluated, verdict->proceed, verdict->announced),
             "the log can be written");
    node.peer->verdict(verdict->evaluated, verdict->proceed, verdict->announced);
  } else if (const auto* question = std::get_if<ScoreAsked>(&event)) {
    answer(id, *question);
  } else if (const auto* asked = std::get_if<ModelAsked>(&event)) {
    node.peer->ask_for_model(asked->by);
  } else if (const auto* arrived = std::get_if<ModelArrived>(&event)) {
    join(id, *arrived);
  } else if (std::holds_alternative<RunStops>(event)) {
    tell_result(node);
  } else if (const auto* departed = std::get_if<PeerDeparted>(&event)) {
    if (departed->takes_this_for_gone && node.started) hear_that_it_is_gone(id, departed->id);
    part(id, departed->id);
  } else if (const auto* returned = std::get_if<NeighborReturned>(&event)) {
    if (const auto request = respond(*node.peer, *returned)) send_edge_request(id, *request);
  } else if (const auto* offered = std::get_if<AttachmentOffered>(&event)) {
    if (const auto request = respond(*node.peer, *offered)) send_edge_request(id, *request);
  } else if (const auto* answered = std::get_if<OfferAnswered>(&event)) {
    if (const auto request = respond(*node.peer, *answered)) send_edge_request(id, *request);
  }
}

/// Carries out what a peer asks for, until it has to wait.
void FaultyCluster::settle(Node& node) {
  Peer<double>& peer = *node.peer;
  const PeerId id = peer.id();
  if (node.awaited != peer.state()) {
    node.awaited = peer.state();
    node.waits_since = now_;
  }
  for (bool acts = node.started; acts;) {
    if (peer.neighborhood() && !peer.attaching() && peer.begun() > node.joined_at + node.rows.size()) {
      node.rows.resize(peer.begun() - node.joined_at - 1, Life::not_seen);
      node.rows.push_back(peer.row());
    }
    corrupt_if_due(peer);
    note_round(node);
    for (Outgoing& outgoing : peer.outbox()) node.session->send(std::move(outgoing), now_);
    peer.outbox().clear();
    for (const ModelCopy& copy : peer.copies()) node.session->give(copy);
    peer.copies().clear();
    if (!experiment_.method->asynchronous)
      node.session->needs_from(first_needed_in(peer.needed_from(), staleness_of(experiment_.settings)));
    acts = false;
    if (peer.state() == PeerState::needs_gradient && !node.computes) {
      node.computes = true;
      peer.compute_gradient();
      at(now_ + gradient_time, id, [this, id] {
        nodes_[id].computes = false;
        nodes_[id].peer->gradient_arrived();
        settle(nodes_[id]);
        serve(id);
      });
    } else if (peer.may_close_round() && now_ >= node.rounds.over_at()) {
      peer.close_round();
      acts = true;
    } else if (peer.state() == PeerState::checkpoint_due) {
      if (node.archive)
        ensure(!node.archive->save(peer, node.session->state(), {}), "a checkpoint can be written");
      peer.checkpoint_taken();
      acts = true;
    } else if (peer.state() == PeerState::evaluation_due) {
      PeerMeters meters;
      meters.now = now_ - Instant{};
      node.evaluated[peer.iteration()] = peer.model();
      if (!node.unobserved)
        node.session->tell_observer({FrameKind::evaluation, peer.iteration(),
                                     evaluation_payload(experiment_.problem, experiment_.settings.run,
                                                        peer.id(), peer.told_model(), meters)});
      peer.evaluation_taken();
      acts = true;
    } else if (peer.has_ended()) {
      tell_result(node);
    }
  }
}

void FaultyCluster::serve_observer() {
  std::vector<ObserverFrame> words;
  words.swap(observer_->outbox());
  for (std::size_t next = 0; next < words.size(); ++next) {
    ObserverFrame& word = words[next];
    const std::span<const std::byte> payload = word.payload;
    Frame frame{word.header, {payload.begin(), payload.end()}};
    frame.header.payload_bytes = static_cast<std::uint32_t>(frame.payload.size());
    const PeerId to = word.to;
    if (word.only_to && (!nodes_[to].session || *word.only_to != incarnation_of(to))) {
      observer_->note_unreachable(to, *word.only_to);  // the connection ended with the process
      std::ranges::move(observer_->outbox(), std::back_inserter(words));
      observer_->outbox().clear();
      continue;
    }
    send(observer_place(), to, std::move(frame), [this, to](const Frame& arrived) {
      nodes_[to].observer_heard_at = now_;
      nodes_[to].session->hear_observer(arrived.header, arrived.payload, now_);
      serve(to);
    });
  }
}

PeerSession::Counters FaultyCluster::counters() const {
  PeerSession::Counters sum;
  for (const Node& node : nodes_) {
    if (!node.session) continue;
    const PeerSession::Counters& of_one = node.session->counters();
    sum.refused += of_one.refused;
    sum.gaps += of_one.gaps;
    sum.repeated += of_one.repeated;
    sum.retransmitted += of_one.retransmitted;
  }
  return sum;
}

}  // namespace hearsay
