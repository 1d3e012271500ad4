#include "runtime/simulator/faulty_run.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// What each process says is its address. Nobody connects to it: frames go by the ids of peers.
constexpr const char* address = "tcp://127.0.0.1:1";

}  // namespace

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
                .timeline = control.timeline}),
      supervisor_({.policy = Supervisor::policy_of(settings().failure),
                   .can_start = true,
                   .can_go_back = false,
                   .lost_after = settings().failure.lost_after},
                  control.notice),
      faults_(faults_of(settings().faults, experiment.peer_count()), supervisor_, control.notice),
      resumes_(experiment.peer_count()) {
  for (PeerId id = 0; id < experiment.peer_count(); ++id) archives_.emplace_back(experiment, id);
}

template <class Scalar>
RunOutcome<Scalar> FaultyRun<Scalar>::run() {
  ObserverSession& observer = cluster_.observer();
  add_children();
  cluster_.begin();
  const bool is_over = time_.run(Instant::max(), [&] {
    if (!observer.over() && control_.is_interrupted()) observer.interrupt(time_.now());
    return observer.over();
  });
  ensure(is_over, "the observer looks around until its session is over");
  return outcome();
}

/// What its parent hears of it, once all that goes on at this instant has gone on.
template <class Scalar>
void FaultyRun<Scalar>::ended(Participant<Scalar>& participant) {
  const PeerEnd& end = *participant.end();
  const PeerId id = participant.id();
  const bool others_go_on = settings().failure.drops() && cluster_.observer().is_open();
  if (end.exit_code != 0 && others_go_on) control_.notice(end.reason);
  time_.at(time_.now(), [this, id, words = last_words(end, resumes_[id]), life = supervisor_.life(id)] {
    if (supervisor_.life(id) != life || !supervisor_.listens_to(id)) return;
    supervisor_.hear(id, words);
    carry_out();
  });
}

template <class Scalar>
void FaultyRun<Scalar>::observer_went_on() {
  if (!cluster_.observer().started()) return;
  report_evaluations();
  if (std::exchange(has_begun_, true)) return;
  supervisor_.note_start();
  faults_.begin(cluster_.observer().origin());
  await_fault();
}

template <class Scalar>
void FaultyRun<Scalar>::report_evaluations() {
  const auto& evaluations = cluster_.observer().evaluations();
  for (; reported_ < evaluations.size(); ++reported_) {
    control_.on_evaluation(evaluations[reported_]);
    if (control_.on_meters) control_.on_meters(cluster_.evaluator().last_meters());
  }
  for (const ModelSet& models : cluster_.evaluator().take_models_to_keep()) control_.on_models(models);
}

// Its processes.

template <class Scalar>
void FaultyRun<Scalar>::add_children() {
  for (PeerId id = 0; id < experiment_.peer_count(); ++id)
    if (std::ranges::binary_search(settings().failure.join_later, id))
      supervisor_.add_absent(address);
    else
      supervisor_.add_child(address);
  for (PeerId id = 0; id < experiment_.peer_count(); ++id)
    if (supervisor_.awaits_address_of(id)) supervisor_.hear(id, address);
  supervisor_.tell_addresses(address);
  carry_out();
}

template <class Scalar>
void FaultyRun<Scalar>::await_fault() {
  if (const auto next = faults_.next())
    time_.at(*next, [this] {
      while (faults_.step(time_.now())) carry_out();
      await_fault();
    });
}

template <class Scalar>
void FaultyRun<Scalar>::carry_out() {
  while (const auto decision = supervisor_.next_decision())
    std::visit([this](const auto& decided) { this->on(decided); }, *decision);
  while (const auto loss = supervisor_.next_loss()) {
    cluster_.observer().lose_peer(*loss->id, time_.now(), loss->how, loss->to_others);
    cluster_.serve_observer();
  }
}

template <class Scalar>
void FaultyRun<Scalar>::on(const Supervisor::Start& start) {
  supervisor_.note_started(start.id);
  supervisor_.hear(start.id, address);
  resumes_[start.id] = start.resumes;
  cluster_.process(start.id).start(start.resumes);
}

template <class Scalar>
void FaultyRun<Scalar>::on(const Supervisor::End& end) {
  cluster_.process(end.id).die();
  supervisor_.note_end(end.id, ProcessEnd{ProcessEnd::By::outside, 9});
}

template <class Scalar>
void FaultyRun<Scalar>::on(const Supervisor::AwaitEnd& await) {
  const PeerEnd& end = *cluster_.process(await.id).participant()->end();
  supervisor_.note_end(await.id, ProcessEnd{ProcessEnd::By::exit, end.exit_code});
}

template <class Scalar>
void FaultyRun<Scalar>::on(const Supervisor::Freeze& freeze) {
  cluster_.process(freeze.id).freeze();
}

template <class Scalar>
void FaultyRun<Scalar>::on(const Supervisor::Thaw& thaw) {
  cluster_.process(thaw.id).thaw();
}

template <class Scalar>
void FaultyRun<Scalar>::on(const Supervisor::Refuse& refuse) {
  throw Misuse(refuse.why);
}

template <class Scalar>
RunOutcome<Scalar> FaultyRun<Scalar>::outcome() {
  RunOutcome<Scalar> result = cluster_.evaluator().with_models(cluster_.observer().outcome());
  result.restarts = supervisor_.restarts();
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
