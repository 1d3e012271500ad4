#include "runtime/simulator/simulator.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/network/compute_time.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/evaluation_period.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/participant/objective_failure.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "runtime/rules/failure_rules.hpp"
#include "runtime/simulator/evaluation_traffic.hpp"
#include "runtime/simulator/event_queue.hpp"
#include "runtime/simulator/faulty_run.hpp"
#include "runtime/simulator/fetch_ahead.hpp"
#include "runtime/simulator/flight.hpp"
#include "runtime/simulator/simulated_peer.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

template <class Scalar>
class Simulation {
 public:
  Simulation(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make, Duration measured_gradient,
             const RunControl& control, const std::optional<Playback>& playback)
      : experiment_(experiment),
        measured_gradient_(measured_gradient),
        control_(control),
        observer_(experiment.problem, experiment.settings.run,
                  evaluated_in(*experiment.method, experiment.settings)) {
    const RunSettings& settings = experiment.settings;
    if (settings.shapes_evaluations())
      traffic_.emplace(settings, experiment.peer_count(),
                       playback ? playback->bytes : evaluation_frame_bytes(experiment));
    if (playback) stops_after_ = playback->stops_after;
    peers_.reserve(experiment.peer_count());
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      const NetworkSettings& network = network_of(settings, id);
      peers_.push_back({.peer = make(id, packets_),
                        .egress = EgressPort(sending_rate(network), settings.framing),
                        .ingress = IngressPort(receiving_rate(network), settings.framing),
                        .sending = SendingTime(sending_rate(network), settings.framing),
                        .timeline = PeerTimeline(control.timeline, id),
                        .rounds = RoundClock(settings.topology.round_deadline)});
      peers_.back().peer->share(shared_sum_);
      for (const PeerId to : partners_of(experiment, id).destinations)
        peers_.back().links.push_back({to, Link(settings.run.seed, id, to, link_settings(settings, id, to)),
                                       arrival_rate(settings, id, to)});
    }
  }

  RunOutcome<Scalar> run() {
    evaluate(0, [&] { return observer_.begin(); });
    for (SimulatedPeer<Scalar>& simulated : peers_) {
      if (failure_) break;
      simulated.peer->start();
      settle(simulated);
    }
    while (!events_.empty() && !diverged_ && !failure_) {
      if (control_.is_interrupted()) return ended(RunStatus::interrupted, "interrupted");
      prepare_next();
      const Event event = events_.pop();
      if (is_void(event)) continue;
      now_ = event.at;
      handle(event);
    }
    if (stop_asked_) return ended(RunStatus::interrupted, "interrupted");
    if (failure_) return ended(RunStatus::lost, *failure_);
    ensure(diverged_ || all_have_ended(), "a simulation ends when every peer has finished");
    return outcome();
  }

 private:
  void announce(Verdict verdict) {
    control_.on_evaluation(observer_.evaluations().back());
    control_.on_meters(observer_.last_meters());
    for (const ModelSet& models : observer_.take_models_to_keep()) control_.on_models(models);
    verdict.proceed &= verdict.evaluated < stops_after_;
    if (traffic_ && is_on_the_way(verdict.evaluated))
      return send_down(traffic_->asks_peers() ? FrameKind::question : FrameKind::verdict, verdict);
    verdicts_.push_back(verdict);
    schedule(now_, EventKind::verdict, static_cast<std::uint32_t>(verdicts_.size() - 1));
  }

  bool all_have_ended() const {
    return std::ranges::all_of(
        peers_, [](const auto& simulated) { return simulated.peer->state() == PeerState::finished; });
  }

  /// Sends a frame on an evaluation to every peer. Once all have ended, nobody needs a verdict.
  void send_down(FrameKind kind, const Verdict& verdict) {
    if (kind == FrameKind::verdict && all_have_ended()) return;
    for (PeerId id = 0; id < peers_.size(); ++id)
      fly(traffic_->send_down(now_, {.kind = kind, .peer = id, .verdict = verdict}));
  }
  void send_up(EvaluationFrame<Scalar> frame) {
    EgressPort& port = peers_[frame.peer].egress;
    fly(traffic_->send_up(now_, port, std::move(frame)));
  }
  void fly(const typename EvaluationTraffic<Scalar>::Way& way) {
    schedule(way.due, EventKind::evaluation_due, way.place);
  }

  /// Handles a frame of an evaluation that its receiver has. Evaluating takes no time.
  void receive(EvaluationFrame<Scalar> frame) {
    switch (frame.kind) {
      case FrameKind::evaluation:
        evaluate(frame.iteration, [&] { return frame.hand_to(observer_); });
        break;
      case FrameKind::question:
        frame.kind = FrameKind::answer;
        return send_up(std::move(frame));
      case FrameKind::answer:
        if (traffic_->is_last_answer(frame.verdict.evaluated)) send_down(FrameKind::verdict, frame.verdict);
        break;
      default:
        return hear(peers_[frame.peer], frame.verdict);
    }
  }

  void hear(SimulatedPeer<Scalar>& simulated, const Verdict& verdict) {
    if (simulated.peer->state() == PeerState::finished) return;
    const bool waited = simulated.peer->state() == PeerState::needs_verdict;
    const Duration period = experiment_.settings.run.evaluate_period;
    simulated.peer->verdict(verdict.evaluated, verdict.proceed,
                            announced_evaluations(period, observer_.evaluations(), verdict.evaluated));
    if (waited && simulated.peer->state() != PeerState::needs_verdict) resumed(simulated);
  }

  void schedule(Instant at, EventKind kind, std::uint32_t subject) { events_.schedule({at, kind, subject}); }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::due: {
        const InFlight& frame = in_flight_[event.subject];
        SimulatedPeer<Scalar>& receiver = peers_[frame.to];
        const Instant release = receiver.ingress.release(now_, frame.frame_bytes, *frame.fed);
        receiver.timeline.receives(frame.key, frame.frame_bytes, receiver.ingress.began(), release);
        if (release > now_)
          schedule(release, EventKind::release, event.subject);
        else
          deliver(event.subject);
        break;
      }
      case EventKind::release:
        deliver(event.subject);
        break;
      case EventKind::gradient:
        peers_[event.subject].peer->gradient_arrived();
        settle(peers_[event.subject]);
        break;
      case EventKind::round_deadline:
        peers_[event.subject].peer->close_round();
        resumed(peers_[event.subject]);
        break;
      case EventKind::verdict: {
        const Verdict verdict = verdicts_[event.subject];
        for (SimulatedPeer<Scalar>& simulated : peers_) hear(simulated, verdict);
        break;
      }
      case EventKind::evaluation_due:
        schedule(traffic_->arrive(event.subject, now_, peers_[traffic_->peer_of(event.subject)].ingress),
                 EventKind::evaluation_release, event.subject);
        break;
      case EventKind::evaluation_release:
        receive(traffic_->take(event.subject));
        break;
    }
  }

  /// Returns the peer that the event is about; null for one of evaluations.
  const SimulatedPeer<Scalar>* subject_of(const Event& event) const {
    switch (event.kind) {
      case EventKind::due:
      case EventKind::release:
        return &peers_[in_flight_[event.subject].to];
      case EventKind::gradient:
      case EventKind::round_deadline:
        return &peers_[event.subject];
      default:
        return nullptr;
    }
  }

  /// Lets the processor fetch what the next events will touch: a peer's port and meters first, then what they
  /// point to.
  void prepare_next() const {
    if (peers_.size() <= peers_in_caches) return;
    if (const Event* event = events_.after_next(3))
      if (const SimulatedPeer<Scalar>* simulated = subject_of(*event))
        fetch_ahead(simulated, sizeof *simulated);
    const Event* const event = events_.after_next(1);
    if (!event) return;
    if (const SimulatedPeer<Scalar>* simulated = subject_of(*event))
      fetch_ahead(simulated->peer.get(), bytes_around_peer, bytes_around_peer);
    if (event->kind == EventKind::gradient)
      fetch_ahead(experiment_.problem.objectives[event->subject].get(), bytes_behind_objective);
  }

  void deliver(std::uint32_t place) {
    const InFlight frame = in_flight_.take(place);
    SimulatedPeer<Scalar>& receiver = peers_[frame.to];
    receiver.meters.bytes_received += frame.frame_bytes;
    const PeerState awaited = receiver.peer->state();
    const bool waited = awaited == PeerState::needs_messages;
    const std::uint64_t rounds = receiver.peer->counters().gossip_rounds;
    receiver.peer->deliver(frame.key, frame.packet, frame.metadata);
    if (waited && receiver.peer->counters().gossip_rounds != rounds) {
      receiver.meters.waits.ended_by(frame.key.sender, now_,
                                     receiver.peer->state() == PeerState::needs_messages);
      receiver.timeline.wait_ended_by(frame.key.sender, now_);
    }
    if ((waited || awaited == PeerState::needs_copies) && receiver.peer->state() != awaited) {
      resumed(receiver);
    } else {
      // A wait that ends in another wait may still have left frames in the outbox.
      send_outbox(receiver);
    }
  }

  void resumed(SimulatedPeer<Scalar>& simulated) {
    simulated.meters.wait += now_ - simulated.waiting_since;
    simulated.timeline.wait_ends(now_);
    settle(simulated);
  }

  /// Does what a peer asks for, until the peer must wait.
  void settle(SimulatedPeer<Scalar>& simulated) {
    Peer<Scalar>& peer = *simulated.peer;
    for (;;) {
      send_outbox(simulated);
      switch (peer.state()) {
        case PeerState::needs_gradient: {
          if (!gradient_of(peer)) return;
          const RunSettings& settings = experiment_.settings;
          const Duration takes =
              compute_time(network_of(settings, peer.id()).compute, settings.run.seed, peer.id(),
                           simulated.gradients++, peer.gradient_work(), measured_gradient_);
          simulated.meters.compute += takes;
          simulated.timeline.computes(now_, takes, peer.iteration() + 1);
          if (takes > Duration{0}) return schedule(now_ + takes, EventKind::gradient, peer.id());
          peer.gradient_arrived();
          break;
        }
        case PeerState::checkpoint_due:
          peer.checkpoint_taken();
          break;
        case PeerState::evaluation_due:
          if (!evaluate(peer.iteration(), [&] { return tell(simulated); })) return;
          peer.evaluation_taken();
          break;
        case PeerState::diverged:
          diverged_ = true;
          return;
        case PeerState::needs_messages:
          if (peer.may_close_round() && now_ >= simulated.rounds.over_at()) {
            peer.close_round();
            break;
          }
          simulated.meters.waits.begin(now_);
          simulated.waiting_since = now_;
          simulated.timeline.waits(now_, peer.iteration() + 1, true);
          return;
        case PeerState::idle:
        case PeerState::needs_verdict:
        case PeerState::needs_agreement:
        case PeerState::needs_copies:
          simulated.waiting_since = now_;
          simulated.timeline.waits(now_, peer.iteration() + 1, false);
          return;
        case PeerState::finished:
          return;
      }
    }
  }

  /// Tells the observer how the peer stands: now, or on the way through the network. Returns the verdict, if
  /// it is there.
  std::optional<Verdict> tell(SimulatedPeer<Scalar>& simulated) {
    EvaluationFrame<Scalar> frame = report_of(experiment_, *simulated.peer, read_meters(simulated));
    if (!traffic_) return frame.hand_to(observer_);
    send_up(std::move(frame));
    return std::nullopt;
  }

  /// Announces the verdict that `take` returns, if it returns one. False if an objective has thrown, which
  /// ends the run.
  template <class Take>
  bool evaluate(std::uint64_t iteration, const Take& take) {
    try {
      if (const std::optional<Verdict> verdict = take()) announce(*verdict);
    } catch (const Misuse&) {  // of who records the evaluation
      throw;
    } catch (const std::exception& thrown) {
      stop_asked_ = dynamic_cast<const StopAsked*>(&thrown) != nullptr;
      failure_ = "an objective failed in the evaluation of iteration " + std::to_string(iteration) + ": " +
                 thrown.what();
    }
    return !failure_;
  }

  /// Computes the gradient that the peer asks for. False if its objective has thrown, which ends the run.
  bool gradient_of(Peer<Scalar>& peer) {
    const auto failure = failure_of([&] { peer.compute_gradient(); });
    if (!failure) return true;
    stop_asked_ = failure->asks_to_stop;
    failure_ = "peer " + std::to_string(peer.id()) + ": its objective failed in iteration " +
               std::to_string(peer.iteration() + 1) + ": " + failure->what;
    return false;
  }

  /// Notes when the round of a hub is over, if it has just begun one.
  void note_round(SimulatedPeer<Scalar>& hub) {
    if (hub.peer->id() == hub_id && hub.rounds.note(hub.peer->begun(), now_))
      schedule(hub.rounds.over_at(), EventKind::round_deadline, hub_id);
  }

  /// True for the deadline of a round that was complete before, or whose hub does not wait yet.
  bool is_void(const Event& event) const {
    if (event.kind != EventKind::round_deadline) return false;
    const SimulatedPeer<Scalar>& hub = peers_[event.subject];
    return event.at < hub.rounds.over_at() || !hub.peer->may_close_round();
  }

  void send_outbox(SimulatedPeer<Scalar>& sender) {
    note_round(sender);
    for (Outgoing& outgoing : sender.peer->outbox()) {
      const auto link =
          std::lower_bound(sender.links.begin(), sender.links.end(), outgoing.to,
                           [](const LinkTo& candidate, PeerId to) { return candidate.to < to; });
      ensure(link != sender.links.end() && link->to == outgoing.to,
             "a method sends only to its destinations");
      const std::uint64_t frame_bytes = header_bytes + outgoing.packet->size();
      const Departure departure = sender.egress.send(now_, frame_bytes, link->link);
      sender.meters.count_sent(outgoing.to, frame_bytes);
      sender.meters.retransmitted += departure.losses;
      const Duration takes = sender.sending.of(now_ - Instant{}, frame_bytes);
      sender.meters.wire += takes;
      sender.timeline.sends(outgoing.key, outgoing.to, frame_bytes, sender.sending.through(), takes);
      schedule(departure.due, EventKind::due,
               in_flight_.add({outgoing.to, outgoing.key, std::move(outgoing.packet), outgoing.metadata,
                               frame_bytes, &link->arrival}));
    }
    sender.peer->outbox().clear();
  }

  /// Returns the meters of the peer as of now.
  const PeerMeters& read_meters(SimulatedPeer<Scalar>& simulated) const {
    simulated.meters.now = now_ - Instant{};
    simulated.meters.counters = simulated.peer->counters();
    return simulated.meters;
  }

  RunOutcome<Scalar> outcome() {
    const bool keeps_own = experiment_.settings.run.evaluate == RunSettings::Run::Evaluate::own;
    std::vector<PeerOutcome> peers;
    std::vector<Vector<Scalar>> own_models;
    peers.reserve(peers_.size());
    const std::uint64_t peak_memory = peak_memory_bytes();
    for (SimulatedPeer<Scalar>& simulated : peers_) {
      read_meters(simulated);
      peers.push_back(peer_outcome(*simulated.peer, std::move(simulated.meters), peak_memory));
      experiment_.problem.objectives[simulated.peer->id()]->take_final_model(simulated.peer->model());
      if (keeps_own) own_models.push_back(simulated.peer->model());
      simulated.peer.reset();  // of many peers, what they hold is much
    }
    RunResult told = observer_.conclude(std::move(peers));
    RunOutcome<Scalar> result = std::move(observer_).with_models(std::move(told));
    result.seconds = seconds(now_ - Instant{});
    if (keeps_own) result.models = std::move(own_models);
    return result;
  }

  RunOutcome<Scalar> ended(RunStatus status, const std::string& reason) {
    RunOutcome<Scalar> result = outcome();
    result.status = status;
    result.reason = reason;
    return result;
  }

  const Experiment<Scalar>& experiment_;
  Duration measured_gradient_;
  const RunControl& control_;
  PacketPool packets_;
  SharedSum<Scalar> shared_sum_;
  Observer<Scalar> observer_;
  std::vector<SimulatedPeer<Scalar>> peers_;
  Flight<InFlight> in_flight_;
  std::vector<Verdict> verdicts_;
  std::optional<EvaluationTraffic<Scalar>> traffic_;    // if the network shapes evaluations
  std::uint64_t stops_after_ = Playback{}.stops_after;  // the evaluation whose verdict ends a playback
  EventQueue events_;
  Instant now_{};
  bool diverged_ = false;
  bool stop_asked_ = false;             // by an objective
  std::optional<std::string> failure_;  // an objective has thrown: who, when and what
};

}  // namespace

template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, Duration measured_gradient,
                            const RunControl& control) {
  const RunSettings& settings = experiment.settings;
  if (!settings.faults.empty()) {
    require_starts_of_later(settings, "hearsay simulate");
    return FaultyRun<Scalar>(experiment, measured_gradient, control).run();
  }
  return simulate<Scalar>(
      experiment, [&](PeerId id, PacketPool& packets) { return make_peer(experiment, id, packets); },
      measured_gradient, control);
}

template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make,
                            Duration measured_gradient, const RunControl& control,
                            const std::optional<Playback>& playback) {
  require_starts_of_later(experiment.settings, "hearsay simulate");
  return Simulation<Scalar>(experiment, make, measured_gradient, control, playback).run();
}

#define HEARSAY_SIMULATE(Scalar)                                                                             \
  template RunOutcome<Scalar> simulate<Scalar>(const Experiment<Scalar>&, Duration, const RunControl&);      \
  template RunOutcome<Scalar> simulate<Scalar>(const Experiment<Scalar>&, const MakePeer<Scalar>&, Duration, \
                                               const RunControl&, const std::optional<Playback>&);
HEARSAY_SIMULATE(float)
HEARSAY_SIMULATE(double)
#undef HEARSAY_SIMULATE

}  // namespace hearsay
