#include "tests/world/faulty_cluster.hpp"

#include <algorithm>
#include <utility>

#include "tests/world/replica_corruption.hpp"

namespace hearsay {

using namespace std::chrono_literals;

FaultyCluster::FaultyCluster(const Experiment<double>& experiment, std::uint64_t seed, Weather weather,
                             std::filesystem::path archive, std::size_t piece_bytes)
    : Witness(experiment.peer_count()),
      experiment_(experiment),
      random_(seed, 0, 0, Purpose::data),
      network_(time_, random_, weather, experiment.peer_count()),
      folder_(std::move(archive)),
      archives_(experiment.peer_count()),
      cluster_({.experiment = experiment,
                .time = time_,
                .network = network_,
                .host = *this,
                .costs = {.gradient = 500us,
                          .score = [this] { return std::chrono::milliseconds(random_.below(300)); },
                          .memory = [] { return 0; }},
                .piece_bytes = piece_bytes}) {}

ProcessArchive<double>* FaultyCluster::archive_for(PeerId id) {
  note_start(id);
  archives_[id].reset();
  if (folder_.empty() || !checkpoint_rule(experiment_.settings).any()) return nullptr;
  return &archives_[id].emplace(experiment_, id, folder_, replayed);
}

// What happens to processes.

void FaultyCluster::kill(PeerId id) {
  VirtualProcess<double>& process = cluster_.process(id);
  crashes += process.is_up() && process.participant()->has_started();
  process.die();
}

void FaultyCluster::start(PeerId id, bool resumes) {
  cluster_.process(id).die();  // it may have been started meanwhile
  cluster_.process(id).start(resumes);
}

void FaultyCluster::lose(PeerId id, Duration when) {
  at(when, [this, id] { kill(id); });
}

void FaultyCluster::begin_late(PeerId id, Duration when) {
  at(when, [this, id] { start(id, false); });
}

void FaultyCluster::crash(PeerId id, Duration when, Duration back) {
  lose(id, when);
  at(back, [this, id] { start(id, true); });
}

void FaultyCluster::replace(PeerId id, Duration when, Duration back) {
  lose(id, when);
  begin_late(id, back);
}

void FaultyCluster::renew_observer() {
  const RunRecord earlier{cluster_.observer().evaluations()};
  cluster_.place_observer(earlier);
}

void FaultyCluster::crash_all(Duration when, Duration back) {
  for (PeerId id = 0; id < peer_count(); ++id) lose(id, when);
  at(back, [this] {
    renew_observer();
    for (PeerId id = 0; id < peer_count(); ++id) start(id, true);
  });
}

void FaultyCluster::crash_first(Duration when, Duration back) {
  lose(0, when);
  // An observer of which nobody hears is as good as dead.
  for (PeerId id = 0; id < peer_count(); ++id) cut(id, observer_id(peer_count()), when, back);
  at(back, [this] {
    renew_observer();
    start(0, true);
  });
}

void FaultyCluster::freeze(PeerId id, Duration from, Duration until) {
  at(from, [this, id] { cluster_.process(id).freeze(); });
  at(until, [this, id] { cluster_.process(id).thaw(); });
}

void FaultyCluster::at(Duration when, PeerId id, void (Participant<double>::*happens)(Instant)) {
  at(when, [this, id, happens] {
    VirtualProcess<double>& process = cluster_.process(id);
    if (!process.is_up()) return;
    (process.participant()->*happens)(time_.now());
    process.go_on();
  });
}

void FaultyCluster::interrupt(PeerId id, Duration when) { at(when, id, &Participant<double>::interrupt); }

void FaultyCluster::leave(PeerId id, Duration when) { at(when, id, &Participant<double>::leave); }

void FaultyCluster::went_on(Participant<double>& participant) {
  Witness::went_on(participant);
  corrupt_if_due(participant.peer());
}

void FaultyCluster::corrupt_if_due(Peer<double>& peer) {
  const auto due = std::ranges::find_if(corruptions_, [&](const Corruption& corruption) {
    return corruption.holder == peer.id() && corruption.after_iteration <= peer.iteration();
  });
  if (due == corruptions_.end() || random_.below(2) == 0) return;  // so the instant is random
  if (!flip_replica_bit(peer.algorithm(), random_)) return;        // all replicas are still 0
  ++corrupted;
  if (due->then) crash(peer.id(), now() + due->then->later, now() + due->then->later + due->then->away);
  corruptions_.erase(due);
}

// The run.

void FaultyCluster::begin() {
  if (!std::exchange(has_begun_, true)) cluster_.begin();
}

bool FaultyCluster::run(Duration limit) {
  begin();
  return time_.run(Instant(limit), [this] { return cluster_.observer().over(); });
}

bool FaultyCluster::run_to_the_end(Duration limit) {
  begin();
  return time_.run(Instant(limit), [this] {
    for (PeerId id = 0; id < peer_count(); ++id)
      if (cluster_.process(id).is_up()) return false;
    return true;
  });
}

PeerSession::Counters FaultyCluster::counters() const {
  PeerSession::Counters sum;
  for (PeerId id = 0; id < peer_count(); ++id) {
    Participant<double>* const participant = cluster_.process(id).participant();
    if (!participant) continue;
    const PeerSession::Counters& of_one = participant->session().counters();
    sum.refused += of_one.refused;
    sum.gaps += of_one.gaps;
    sum.repeated += of_one.repeated;
    sum.retransmitted += of_one.retransmitted;
  }
  return sum;
}

}  // namespace hearsay
