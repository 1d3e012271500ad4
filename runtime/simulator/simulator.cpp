#include "runtime/simulator/simulator.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "algorithms/arithmetic/fetch_ahead.hpp"
#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/foundation/crew.hpp"
#include "runtime/foundation/longest_time.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/evaluation_period.hpp"
#include "runtime/observer/model_scores.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/participant/objective_failure.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "runtime/rules/failure_rules.hpp"
#include "runtime/simulator/evaluation_traffic.hpp"
#include "runtime/simulator/event_queue.hpp"
#include "runtime/simulator/faulty_run.hpp"
#include "runtime/simulator/flight.hpp"
#include "runtime/simulator/peer_memory.hpp"
#include "runtime/simulator/peer_turns.hpp"
#include "runtime/simulator/simulated_peer.hpp"
#include "runtime/simulator/turn_plan.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// What comes later than this is not known.
constexpr Instant end_of_time{longest_time};

template <class Scalar>
class Simulation {
 public:
  Simulation(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make, Duration measured_gradient,
             const RunControl& control, const std::optional<Playback>& playback)
      : experiment_(experiment),
        control_(control),
        // Which activities a full timeline takes depends on their order.
        crew_(control.crew && !control.timeline ? *control.crew : alone_),
        plan_(has_programs(experiment.settings) ? Turns::one_by_one : Turns::side_by_side,
              experiment.peer_count(), static_cast<std::size_t>(experiment.problem.dimension()),
              crew_.size()),
        packets_(crew_.size()),
        observer_(experiment.problem, experiment.settings.run,
                  evaluated_in(*experiment.method, experiment.settings), Asks::nobody, &crew_) {
    if (experiment.settings.shapes_evaluations())
      traffic_.emplace(experiment.settings, experiment.peer_count(),
                       playback ? playback->bytes : evaluation_frame_bytes(experiment));
    if (playback) stops_after_ = playback->stops_after;
    if (!control.wants_models_of_peers) observer_.forget_models();
    if (!control.on_meters) observer_.forget_meters();
    for (std::size_t member = 0; member < crew_.size(); ++member)
      takers_.emplace_back(
          typename PeerTurns<Scalar>::Surroundings{experiment, measured_gradient, in_flight_, traffic_});
    make_peers(make);
  }

  RunOutcome<Scalar> run() {
    evaluate(0, [&] { return observer_.begin(); });
    everybody([](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& simulated) { taker.start(simulated); });
    while (!events_.empty() && !is_over()) {
      if (control_.is_interrupted()) return ended(RunStatus::interrupted, "interrupted");
      if (is_void(events_.next()))
        events_.pop();
      else if (events_.next().at >= end_of_time)
        refuse_to_go_on();
      else if (events_.next().is_of_one_peer())
        take_turns();
      else
        handle(events_.pop());
    }
    if (failure_ && failure_->asks_to_stop) return ended(RunStatus::interrupted, "interrupted");
    if (failure_) return ended(RunStatus::lost, failure_->what);
    ensure(diverged_ || all_have_ended(), "a simulation ends when every peer has finished");
    return outcome();
  }

  // What follows from a turn (Aftermath).

  void schedule(const Event& event) { events_.schedule(event); }
  void send(Instant due, InFlight frame) {
    const PeerId to = frame.to;
    schedule({due, to, in_flight_.add(std::move(frame)), EventKind::due});
  }
  void land(std::uint32_t place) { in_flight_.free(place); }
  void report(SentEvaluation<Scalar> report) {
    if (traffic_) return fly(report.frame.peer, {traffic_->add(std::move(report.frame)), report.due});
    evaluate(report.frame.iteration, [&] { return report.frame.hand_to(observer_); });
  }
  void diverge() { diverged_ = true; }
  void fail(const ObjectiveFailure& failure) {
    if (!failure_) failure_ = failure;
  }

 private:
  void make_peers(const MakePeer<Scalar>& make) {
    const RunSettings& settings = experiment_.settings;
    std::vector<std::unique_ptr<Peer<Scalar>>> made(experiment_.peer_count());
    crew_.work([&](std::size_t member) {
      for (PeerId id = 0; id < made.size(); ++id)
        if (plan_.member_of(id) == member) {
          made[id] = make(id, packets_[member]);
          made[id]->share(shared_sum_);
        }
    });
    peers_.reserve(made.size());
    for (PeerId id = 0; id < made.size(); ++id) {
      const NetworkSettings& network = network_of(settings, id);
      const Availability there = availability_of(settings, id);
      peers_.push_back({.peer = std::move(made[id]),
                        .egress = EgressPort(sending_rate(network), settings.framing, there),
                        .ingress = IngressPort(receiving_rate(network), settings.framing, there),
                        .sending = SendingTime(sending_rate(network), settings.framing, there),
                        .timeline = PeerTimeline(control_.timeline, id),
                        .rounds = RoundClock(settings.topology.round_deadline)});
      const Partners partners = partners_of(experiment_, id);
      peers_.back().links.reserve(partners.destinations.size());
      for (const PeerId to : partners.destinations)
        peers_.back().links.push_back({to, Link(settings.run.seed, id, to, link_settings(settings, id, to)),
                                       arrivals_.keep(arrival_rate(settings, id, to))});
    }
  }

  bool is_over() const { return diverged_ || failure_; }
  [[noreturn]] void refuse_to_go_on() const {
    throw Misuse(
        "run.iterations", std::to_string(experiment_.iterations),
        "on this network the run takes more than 30 years; expected fewer iterations, a smaller model, "
        "or peers and links that are faster or more often there");
  }
  bool all_have_ended() const {
    return std::ranges::all_of(
        peers_, [](const auto& simulated) { return simulated.peer->state() == PeerState::finished; });
  }

  // Turns. Those of one instant are taken side by side; then what follows from them is carried out in their
  // order. So the run is the same with any number of threads. A run that is over ends with the turns that
  // were taken side by side with the last one.

  /// The next events of single peers, all of one instant, happen.
  void take_turns() {
    now_ = events_.next().at;
    turns_.clear();
    events_.take(plan_.at_once(), turns_);
    side_by_side(
        turns_.size(), [this](std::size_t turn) { return turns_[turn].peer; },
        [this](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& simulated, std::size_t turn) {
          prepare_after(turn);
          taker.take(turns_[turn], simulated);
        });
  }

  /// All peers take a turn, in their order.
  template <class Take>
  void everybody(const Take& take) {
    for (std::size_t first = 0; first < peers_.size() && !is_over(); first += plan_.at_once())
      side_by_side(
          std::min(plan_.at_once(), peers_.size() - first),
          [first](std::size_t turn) { return static_cast<PeerId>(first + turn); },
          [&take](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& simulated, std::size_t) {
            take(taker, simulated);
          });
  }

  template <class PeerOf, class Take>
  void side_by_side(std::size_t turns, const PeerOf& peer_of, const Take& take) {
    const bool shared = plan_.are_shared(turns);
    const auto member_at = [&](std::size_t turn) { return shared ? plan_.member_of(peer_of(turn)) : 0; };
    const auto part = [&](std::size_t member) {
      for (std::size_t turn = 0; turn < turns; ++turn) {
        if (member_at(turn) != member) continue;
        takers_[member].begin(now_, static_cast<std::uint32_t>(turn));
        take(takers_[member], peers_[peer_of(turn)], turn);
      }
    };
    if (shared)
      crew_.work(part);
    else
      part(0);
    for (std::size_t turn = 0; turn < turns; ++turn)
      takers_[member_at(turn)].after().hand_over_failure(static_cast<std::uint32_t>(turn), *this);
    for (std::size_t turn = 0; turn < turns; ++turn)
      takers_[member_at(turn)].after().hand_over(static_cast<std::uint32_t>(turn), *this);
  }

  /// Lets the processor fetch what turns after this one will touch: a peer's port and meters first, then what
  /// they point to.
  void prepare_after(std::size_t turn) const {
    if (peers_.size() <= peers_in_caches) return;
    if (turn + 3 < turns_.size()) fetch_ahead(&peers_[turns_[turn + 3].peer], sizeof(SimulatedPeer<Scalar>));
    if (turn + 1 >= turns_.size()) return;
    const Event& next = turns_[turn + 1];
    fetch_ahead(peers_[next.peer].peer.get(), bytes_around_peer, bytes_around_peer);
    if (next.kind == EventKind::gradient)
      fetch_ahead(experiment_.problem.objectives[next.peer].get(), bytes_behind_objective);
  }

  /// One peer takes a turn.
  template <class Take>
  void alone(PeerId peer, const Take& take) {
    side_by_side(
        1, [peer](std::size_t) { return peer; },
        [&take](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& simulated, std::size_t) {
          take(taker, simulated);
        });
  }

  // Events of other kinds.

  void handle(const Event& event) {
    now_ = event.at;
    switch (event.kind) {
      case EventKind::round_deadline:
        return alone(event.peer,
                     [](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& hub) { taker.close_round(hub); });
      case EventKind::verdict: {
        const Verdict verdict = verdicts_[event.place];
        const Announced announced = announced_with(verdict);
        return everybody([&](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& simulated) {
          taker.hear(verdict, announced, simulated);
        });
      }
      case EventKind::evaluation_due:
        return schedule({traffic_->arrive(event.place, now_, peers_[event.peer].ingress), event.peer,
                         event.place, EventKind::evaluation_release});
      case EventKind::evaluation_release:
        return receive(traffic_->take(event.place));
      default:
        ensure(false, "the event is not one of a single peer");
    }
  }

  /// True for the deadline of a round that was complete before, or whose hub does not wait yet.
  bool is_void(const Event& event) const {
    if (event.kind != EventKind::round_deadline) return false;
    const SimulatedPeer<Scalar>& hub = peers_[event.peer];
    return event.at < hub.rounds.over_at() || !hub.peer->may_close_round();
  }

  // Evaluations.

  /// Announces the verdict that `take` returns, if it returns one. An objective that throws ends the run.
  template <class Take>
  void evaluate(std::uint64_t iteration, const Take& take) {
    if (failure_) return;
    try {
      if (const std::optional<Verdict> verdict = take()) announce(*verdict);
    } catch (const Misuse&) {  // of who records the evaluation
      throw;
    } catch (const StopAsked& stop) {
      fail({stop.what(), true});
    } catch (const FailedObjective& failed) {
      fail({failure_in_evaluation(failed.peer, iteration, failed.what())});
    } catch (const std::exception& thrown) {
      fail({"an objective failed in the evaluation of iteration " + std::to_string(iteration) + ": " +
            thrown.what()});
    }
  }

  void announce(Verdict verdict) {
    control_.on_evaluation(observer_.evaluations().back());
    if (control_.on_meters) control_.on_meters(observer_.last_meters());
    for (const ModelSet& models : observer_.take_models_to_keep()) control_.on_models(models);
    verdict.proceed &= verdict.evaluated < stops_after_;
    if (traffic_ && is_on_the_way(verdict.evaluated))
      return send_down(traffic_->asks_peers() ? FrameKind::question : FrameKind::verdict, verdict);
    verdicts_.push_back(verdict);
    schedule({now_, 0, static_cast<std::uint32_t>(verdicts_.size() - 1), EventKind::verdict});
  }

  Announced announced_with(const Verdict& verdict) const {
    return announced_evaluations(experiment_.settings.run.evaluate_period, observer_.evaluations(),
                                 verdict.evaluated);
  }

  /// Sends a frame on an evaluation to every peer. Once all have ended, nobody needs a verdict.
  void send_down(FrameKind kind, const Verdict& verdict) {
    if (kind == FrameKind::verdict && all_have_ended()) return;
    for (PeerId id = 0; id < peers_.size(); ++id)
      fly(id, traffic_->send_down(now_, {.kind = kind, .peer = id, .verdict = verdict}));
  }
  void fly(PeerId peer, const typename EvaluationTraffic<Scalar>::Way& way) {
    schedule({way.due, peer, way.place, EventKind::evaluation_due});
  }

  /// Handles a frame of an evaluation that its receiver has. Evaluating takes no time.
  void receive(EvaluationFrame<Scalar> frame) {
    switch (frame.kind) {
      case FrameKind::evaluation:
        return evaluate(frame.iteration, [&] { return frame.hand_to(observer_); });
      case FrameKind::question: {
        frame.kind = FrameKind::answer;
        const Instant due = traffic_->pass(now_, peers_[frame.peer].egress, frame);
        return report({std::move(frame), due});
      }
      case FrameKind::answer:
        if (traffic_->is_last_answer(frame.verdict.evaluated)) send_down(FrameKind::verdict, frame.verdict);
        return;
      default:
        return alone(frame.peer, [&](PeerTurns<Scalar>& taker, SimulatedPeer<Scalar>& simulated) {
          taker.hear(frame.verdict, announced_with(frame.verdict), simulated);
        });
    }
  }

  RunOutcome<Scalar> outcome() {
    const bool keeps_own = experiment_.settings.run.evaluate == RunSettings::Run::Evaluate::own;
    std::vector<PeerOutcome> peers(peers_.size());
    std::vector<Vector<Scalar>> own_models(keeps_own ? peers_.size() : 0);
    const std::uint64_t peak_memory = peak_memory_bytes();
    share_out(crew_, peers_.size(), [&](std::size_t id) {
      SimulatedPeer<Scalar>& simulated = peers_[id];
      read_meters(simulated, now_);
      peers[id] = peer_outcome(*simulated.peer, std::move(simulated.meters), peak_memory);
      experiment_.problem.objectives[id]->take_final_model(simulated.peer->model());
      if (keeps_own) own_models[id] = simulated.peer->model();
      simulated.peer.reset();  // of many peers, what they hold is much
    });
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
  const RunControl& control_;
  CrewOfOne alone_;
  Crew& crew_;
  TurnPlan plan_;
  std::vector<PacketPool> packets_;  // by member of the crew
  SharedSum<Scalar> shared_sum_;
  Observer<Scalar> observer_;
  ArrivalRates arrivals_;
  std::vector<SimulatedPeer<Scalar>> peers_;
  Flight<InFlight> in_flight_;
  std::vector<Verdict> verdicts_;
  std::optional<EvaluationTraffic<Scalar>> traffic_;    // if the network shapes evaluations
  std::uint64_t stops_after_ = Playback{}.stops_after;  // the evaluation whose verdict ends a playback
  EventQueue events_;
  std::vector<PeerTurns<Scalar>> takers_;  // by member of the crew

  std::vector<Event> turns_;  // that are being taken
  Instant now_{};
  bool diverged_ = false;
  std::optional<ObjectiveFailure> failure_;  // an objective has thrown: who, when and what
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
