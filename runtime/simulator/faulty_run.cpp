#include "runtime/simulator/faulty_run.hpp"

#include <string>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
FaultyRun<Scalar>::FaultyRun(const Experiment<Scalar>& experiment, Duration measured_gradient,
                             const RunControl& control)
    : experiment_(experiment),
      control_(control),
      network_(experiment, time_,
               [this] {
                 const ObserverSession& observer = cluster_.observer();
                 return observer.started() ? std::optional(observer.origin()) : std::nullopt;
               }),
      cluster_({.experiment = experiment,
                .time = time_,
                .network = network_,
                .host = *this,
                .costs = {.gradient = measured_gradient},
                .timeline = control.timeline}) {
  for (PeerId id = 0; id < experiment.peer_count(); ++id) archives_.emplace_back(experiment, id);
}

template <class Scalar>
RunOutcome<Scalar> FaultyRun<Scalar>::run() {
  ObserverSession& observer = cluster_.observer();
  cluster_.begin();
  const bool is_over = time_.run(Instant::max(), [&] {
    if (!observer.over() && control_.is_interrupted()) observer.interrupt(time_.now());
    return observer.over();
  });
  ensure(is_over, "the observer looks around until its session is over");
  return outcome();
}

template <class Scalar>
void FaultyRun<Scalar>::ended(Participant<Scalar>& participant) {
  const PeerEnd& end = *participant.end();
  const bool others_go_on = settings().failure.drops() && cluster_.observer().is_open();
  if (end.exit_code != 0 && others_go_on) control_.notice(end.reason);
}

template <class Scalar>
void FaultyRun<Scalar>::observer_went_on() {
  if (!cluster_.observer().started()) return;
  report_evaluations();
  if (!std::exchange(has_entered_faults_, true)) enter_faults();
}

template <class Scalar>
void FaultyRun<Scalar>::report_evaluations() {
  const auto& evaluations = cluster_.observer().evaluations();
  for (; reported_ < evaluations.size(); ++reported_) {
    control_.on_evaluation(evaluations[reported_]);
    control_.on_meters(cluster_.evaluator().last_meters());
  }
  for (const ModelSet& models : cluster_.evaluator().take_models_to_keep()) control_.on_models(models);
}

// Faults.

template <class Scalar>
void FaultyRun<Scalar>::enter_faults() {
  for (const Fault& fault : faults_of(settings().faults, experiment_.peer_count()))
    for (const PeerId id : fault.peers)
      time_.at(cluster_.observer().origin() + fault.at, [this, fault, id] {
        if (happen(fault, id)) control_.notice(sentence_on(fault, id));
      });
}

template <class Scalar>
bool FaultyRun<Scalar>::happen(const Fault& fault, PeerId id) {
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
bool FaultyRun<Scalar>::end_process(PeerId id, std::optional<Duration> lasts) {
  if (!cluster_.process(id).is_up()) return false;
  cluster_.process(id).die();
  if (lasts) time_.at(time_.now() + *lasts, [this, id] { start_again(id); });
  if (lasts && takes_checkpoints()) return true;
  cluster_.observer().lose_peer(id, "peer " + std::to_string(id) + " was lost: killed by signal 9");
  cluster_.serve_observer();
  return true;
}

/// From its checkpoint, or, if the run takes none, without a state.
template <class Scalar>
bool FaultyRun<Scalar>::start_again(PeerId id) {
  VirtualProcess<Scalar>& process = cluster_.process(id);
  if (process.is_up() || cluster_.observer().over()) return false;
  const bool resumes = takes_checkpoints() && process.life() > 0;
  restarts_ += resumes;
  process.start(resumes);
  return true;
}

template <class Scalar>
bool FaultyRun<Scalar>::freeze(PeerId id, Duration lasts) {
  VirtualProcess<Scalar>& process = cluster_.process(id);
  if (!process.freeze()) return false;
  time_.at(time_.now() + lasts, [&process, life = process.life()] {
    if (process.life() == life && process.is_up()) process.thaw();
  });
  return true;
}

template <class Scalar>
RunOutcome<Scalar> FaultyRun<Scalar>::outcome() {
  RunOutcome<Scalar> result = cluster_.evaluator().with_models(cluster_.observer().outcome());
  result.restarts = restarts_;
  const bool is_own = settings().run.evaluate == RunSettings::Run::Evaluate::own;
  if (is_own) result.models.assign(experiment_.peer_count(), {});
  for (PeerId id = 0; id < experiment_.peer_count(); ++id) {
    const Participant<Scalar>* const participant = cluster_.process(id).participant();
    if (!participant) continue;
    const Vector<Scalar>& model = participant->peer().model();
    experiment_.problem.objectives[id]->take_final_model(model);
    if (is_own) result.models[id] = model;
  }
  return result;
}

template class FaultyRun<float>;
template class FaultyRun<double>;

}  // namespace hearsay
