#include "tests/world/faulty_cluster.hpp"

#include <algorithm>

#include "runtime/checkpoint/replay.hpp"
#include "runtime/participant/score.hpp"
#include "runtime/participant/session_input.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "tests/world/replica_corruption.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

using namespace std::chrono_literals;

constexpr Duration gradient_time = 500us;
constexpr Duration look_around = 50ms;

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
    if (node.life != life || !node.is_up()) return;
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
  Node& node = nodes_[id];
  ++node.life;
  node.frozen = false;
  node.held_up.clear();
  node.earlier.push_back({std::exchange(node.joined_at, 0), std::exchange(node.rows, {})});
  node.archive.reset();
  if (checkpoints.any()) node.archive.emplace(experiment_, id, archive_);
  PeerSessionInput session = session_input(experiment_, id, incarnation_of(id), true, 1min);
  if (resumes) session.holds = node.archive->holds();
  node.participant = std::make_unique<Participant<double>>(
      ParticipantInput<double>{.experiment = experiment_, .checkpoints = checkpoints, .packets = packets_},
      std::move(session));
  node.participant->session().begin(now_);
  tick(id);
}

void FaultyCluster::kill(PeerId id) {
  Node& node = nodes_[id];
  if (node.is_up() && node.participant->has_started()) ++crashes;
  node.participant.reset();
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
  begin();
  return go_on_until(limit, [this] { return observer_->over(); });
}

bool FaultyCluster::run_to_the_end(Duration limit) {
  begin();
  return go_on_until(
      limit, [this] { return std::ranges::none_of(nodes_, [](const Node& node) { return node.is_up(); }); });
}

void FaultyCluster::begin() {
  if (std::exchange(has_begun_, true)) return;
  for (PeerId id = 0; id < nodes_.size(); ++id)
    if (!std::ranges::binary_search(experiment_.settings.failure.join_later, id)) start(id, false);
  look();
}

/// The observer looks around.
void FaultyCluster::look() {
  if (!observer_is_dead_) observer_->tick(now_);
  if (drops()) observer_->judge_silence(now_);
  serve_observer();
  at(now_ + look_around, [this] { look(); });
}

bool FaultyCluster::go_on_until(Duration limit, const std::function<bool()>& is_over) {
  while (!is_over() && !events_.empty() && events_.top().at < Instant(limit)) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.happens();
  }
  return is_over();
}

void FaultyCluster::tick(PeerId id) {
  Node& node = nodes_[id];
  const Instant next = node.participant->session().tick(now_);
  go_on(id);
  if (node.is_up()) wake(id, std::min(next, now_ + look_around));
}

void FaultyCluster::wake(PeerId id, Instant when) {
  nodes_[id].wakes_at = when;
  at(when, id, [this, id, when] {
    if (nodes_[id].wakes_at == when) tick(id);
  });
}

void FaultyCluster::go_on(PeerId id) {
  Node& node = nodes_[id];
  do {
    while (node.participant->advance(now_)) carry_out(id);
    carry_out(id);
  } while (begin_work(id));
  if (!node.is_up()) {
    if (node.participant->end()->reason.find("the hub, peer") != std::string::npos) ++hub_lost;
    return;
  }
  const Instant again = node.participant->look_again();
  if (again > now_ && again < node.wakes_at) wake(id, again);
}

/// A gradient takes time; so does an answer, as that of a peer that is computing a gradient.
bool FaultyCluster::begin_work(PeerId id) {
  Node& node = nodes_[id];
  Participant<double>& participant = *node.participant;
  const Work* const work = participant.next_work(now_);
  if (!work) return false;
  if (const auto* const restore = std::get_if<RestorePeer>(work)) {
    RestoredPeer<double> restored = restore->iteration
                                        ? node.archive->restored_at(*restore->iteration, packets_)
                                        : node.archive->restored(packets_);
    replayed += restored.log.size();
    SessionState state =
        replay(experiment_, *restored.peer, std::move(restored.session), restored.log, restored.meters);
    participant.restored(std::move(restored.peer), std::move(state), std::move(restored.meters), now_);
  } else if (std::holds_alternative<ComputeGradient>(*work)) {
    participant.peer().compute_gradient();
    at(now_ + gradient_time, id, [this, id, began = now_] {
      if (std::exchange(nodes_[id].fails, false))
        nodes_[id].participant->failed({"a bad sample"}, now_);
      else
        nodes_[id].participant->gradient_arrived(began, now_, now_);
      go_on(id);
    });
  } else if (const auto* const checkpoint = std::get_if<TakeCheckpoint>(work)) {
    if (node.archive)
      ensure(!node.archive->save(participant.peer(), checkpoint->session, {}), "a checkpoint can be written");
    participant.checkpoint_taken(now_);
  } else if (std::holds_alternative<MakeEvaluation>(*work)) {
    node.evaluated[participant.peer().iteration()] = participant.peer().model();
    participant.evaluation_made(evaluation_payload(experiment_.problem, experiment_.settings.run, id,
                                                   participant.peer().told_model(), participant.meters(now_)),
                                now_);
  } else if (const auto* const score = std::get_if<ComputeScore>(work)) {
    ++judged;
    const auto answer = answer_to(score->question, experiment_.problem, id);
    ensure(answer.has_value(), "a question is on a model");
    at(now_ + std::chrono::milliseconds(random_.below(300)), id, [this, id, answer] {
      nodes_[id].participant->scored(answer, now_);
      go_on(id);
    });
  } else if (std::holds_alternative<MakeResult>(*work)) {
    participant.result_made(encode_outcome(peer_outcome(participant.peer(), participant.meters(now_), 0)),
                            now_);
  } else {
    participant.model_kept("no file", now_);
  }
  carry_out(id);
  return true;
}

/// Does what the driver of a process does after every call.
void FaultyCluster::carry_out(PeerId id) {
  Node& node = nodes_[id];
  Participant<double>& participant = *node.participant;
  log(node);
  for (const PeerNews& news : participant.news()) take(id, news);
  participant.news().clear();
  note_row(node);
  corrupt_if_due(participant.peer());
  std::vector<PeerFrame> words;
  words.swap(participant.session().outbox());
  for (const PeerFrame& word : words) send(id, word);
}

void FaultyCluster::log(Node& node) {
  for (const Heard& heard : node.participant->heard())
    ensure(!node.archive->hear(heard), "the log can be written");
  node.participant->heard().clear();
}

void FaultyCluster::note_row(Node& node) {
  const Peer<double>& peer = node.participant->peer();
  if (!node.participant->has_started() || !peer.neighborhood() || peer.attaching()) return;
  if (peer.begun() <= node.joined_at + node.rows.size()) return;
  node.rows.resize(peer.begun() - node.joined_at - 1, Life::not_seen);
  node.rows.push_back(peer.row());
}

void FaultyCluster::take(PeerId id, const PeerNews& news) {
  Node& node = nodes_[id];
  const Peer<double>& peer = node.participant->peer();
  switch (news.kind) {
    case PeerNews::Kind::parts:
      ++parted;
      break;
    case PeerNews::Kind::takes_back:
      ++attached;
      break;
    case PeerNews::Kind::joins:
      ++joined;
      node.joined_at = peer.iteration();
      entries.push_back({id, news.about, peer.iteration(), peer.model()});
      break;
    case PeerNews::Kind::is_replaced:
      ++hub_replaced;
      break;
    default:
      break;
  }
}

void FaultyCluster::send(PeerId from, const PeerFrame& word) {
  const std::span<const std::byte> payload = word.payload;
  Frame frame{word.header, {payload.begin(), payload.end()}};
  if (word.packet) frame.payload.assign(word.packet->bytes().begin(), word.packet->bytes().end());
  frame.header.payload_bytes = static_cast<std::uint32_t>(frame.payload.size());
  const PeerId to = word.to;
  switch (word.way) {
    case PeerFrame::Way::observer:
      return send(from, observer_place(), std::move(frame), [this](const Frame& arrived) {
        if (observer_is_dead_) return;
        observer_->hear(arrived.header, arrived.payload, now_);
        serve_observer();
      });
    case PeerFrame::Way::reply:
      return send(from, to, std::move(frame), [this, from, to](const Frame& arrived) {
        nodes_[to].participant->session().hear_destination(from, arrived.header, arrived.payload);
        go_on(to);
      });
    case PeerFrame::Way::outlet:
      return send(from, to, std::move(frame), [this, to](const Frame& arrived) {
        hear_source(to, arrived.header, arrived.payload);
        go_on(to);
      });
  }
}

void FaultyCluster::hear_source(PeerId id, const FrameHeader& head, std::span<const std::byte> payload) {
  PeerSession& session = nodes_[id].participant->session();
  if (session.hear_source(head, payload, now_) != FrameUse::data) return;
  PacketBuffer buffer = packets_.acquire();
  std::ranges::copy(payload, buffer.resize(payload.size()).begin());
  session.release({{head.iteration, head.slot, head.sender},
                   std::move(buffer).seal(),
                   {head.degree, head.replica_digest}});
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
    if (word.only_to && (!nodes_[to].is_up() || *word.only_to != incarnation_of(to))) {
      observer_->note_unreachable(to, *word.only_to);  // the connection ended with the process
      std::ranges::move(observer_->outbox(), std::back_inserter(words));
      observer_->outbox().clear();
      continue;
    }
    send(observer_place(), to, std::move(frame), [this, to](const Frame& arrived) {
      nodes_[to].participant->session().hear_observer(arrived.header, arrived.payload, now_);
      go_on(to);
    });
  }
}

PeerSession::Counters FaultyCluster::counters() const {
  PeerSession::Counters sum;
  for (const Node& node : nodes_) {
    if (!node.participant) continue;
    const PeerSession::Counters& of_one = node.participant->session().counters();
    sum.refused += of_one.refused;
    sum.gaps += of_one.gaps;
    sum.repeated += of_one.repeated;
    sum.retransmitted += of_one.retransmitted;
  }
  return sum;
}

}  // namespace hearsay
