#include "runtime/simulator/simulator.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/experiment/join_later.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/network/compute_time.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "runtime/simulator/event_queue.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// A frame between two peers.
struct InFlight {
  PeerId to;
  MessageKey key;
  PacketRef packet;
  MessageMetadata metadata;
  std::uint64_t frame_bytes;
  const ArrivalRate* fed;  // the rate of its link
};

struct LinkTo {
  PeerId to;
  Link link;
  ArrivalRate arrival;
};

template <class Scalar>
struct SimulatedPeer {
  std::unique_ptr<Peer<Scalar>> peer;
  EgressPort egress;
  IngressPort ingress;
  SendingTime sending;
  std::vector<LinkTo> links;  // by destination, ascending
  PeerMeters meters;
  std::uint64_t gradients = 0;
  Instant waiting_since{};
  PeerTimeline timeline;
};

template <class Scalar>
class Simulation {
 public:
  Simulation(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make, Duration measured_gradient,
             const RunControl& control)
      : experiment_(experiment),
        measured_gradient_(measured_gradient),
        control_(control),
        observer_(experiment.problem, experiment.settings.run) {
    const RunSettings& settings = experiment.settings;
    peers_.reserve(experiment.peer_count());
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      const NetworkSettings& network = network_of(settings, id);
      peers_.push_back({make(id, packets_),
                        EgressPort(sending_rate(network), settings.framing),
                        IngressPort(receiving_rate(network), settings.framing),
                        SendingTime(sending_rate(network), settings.framing),
                        {},
                        {},
                        0,
                        {},
                        PeerTimeline(control.timeline, id)});
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
      if (control_.is_interrupted()) {
        RunOutcome<Scalar> interrupted = outcome();
        interrupted.status = RunStatus::interrupted;
        interrupted.reason = "interrupted";
        return interrupted;
      }
      const Event event = events_.pop();
      now_ = event.at;
      handle(event);
    }
    if (failure_) {
      RunOutcome<Scalar> lost = outcome();
      lost.status = stop_asked_ ? RunStatus::interrupted : RunStatus::lost;
      lost.reason = stop_asked_ ? "interrupted" : *failure_;
      return lost;
    }
    for (const SimulatedPeer<Scalar>& simulated : peers_)
      ensure(diverged_ || simulated.peer->state() == PeerState::finished,
             "a simulation ends when every peer has finished");
    return outcome();
  }

 private:
  void announce(const Verdict& verdict) {
    control_.on_evaluation(observer_.evaluations().back());
    control_.on_meters(observer_.last_meters());
    verdicts_.push_back(verdict);
    schedule(now_, EventKind::verdict, static_cast<std::uint32_t>(verdicts_.size() - 1));
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
      case EventKind::verdict: {
        const Verdict verdict = verdicts_[event.subject];
        for (SimulatedPeer<Scalar>& simulated : peers_) {
          if (simulated.peer->state() == PeerState::finished) continue;
          const bool waited = simulated.peer->state() == PeerState::needs_verdict;
          simulated.peer->verdict(verdict.evaluated, verdict.proceed);
          if (waited && simulated.peer->state() != PeerState::needs_verdict) resumed(simulated);
        }
        break;
      }
    }
  }

  void deliver(std::uint32_t place) {
    const InFlight frame = std::move(in_flight_[place]);
    in_flight_[place] = {};
    free_places_.push_back(place);
    SimulatedPeer<Scalar>& receiver = peers_[frame.to];
    receiver.meters.bytes_received += frame.frame_bytes;
    const bool waited = receiver.peer->state() == PeerState::needs_messages;
    const std::uint64_t rounds = receiver.peer->counters().gossip_rounds;
    receiver.peer->deliver(frame.key, frame.packet, frame.metadata);
    if (waited && receiver.peer->counters().gossip_rounds != rounds) {
      receiver.meters.waits.ended_by(frame.key.sender, now_,
                                     receiver.peer->state() == PeerState::needs_messages);
      receiver.timeline.wait_ended_by(frame.key.sender, now_);
    }
    if (waited && receiver.peer->state() != PeerState::needs_messages) {
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
        case PeerState::evaluation_due: {
          const PeerMeters& meters = read_meters(simulated);
          if (!evaluate(peer.iteration(), [&] { return tell_observer(peer, meters); })) return;
          peer.evaluation_taken();
          break;
        }
        case PeerState::diverged:
          diverged_ = true;
          return;
        case PeerState::needs_messages:
          simulated.meters.waits.begin(now_);
          simulated.waiting_since = now_;
          simulated.timeline.waits(now_, peer.iteration() + 1, true);
          return;
        case PeerState::idle:
        case PeerState::needs_verdict:
        case PeerState::needs_agreement:
          simulated.waiting_since = now_;
          simulated.timeline.waits(now_, peer.iteration() + 1, false);
          return;
        case PeerState::finished:
          return;
      }
    }
  }

  std::optional<Verdict> tell_observer(const Peer<Scalar>& peer, const PeerMeters& meters) {
    if (!judges_own()) return observer_.take(peer.id(), peer.iteration(), peer.model(), meters);
    const OwnEvaluation own =
        own_evaluation(experiment_.problem, peer.id(), peer.model(), experiment_.settings.run.seed);
    return observer_.take_own(peer.id(), peer.iteration(), own, meters);
  }
  bool judges_own() const { return experiment_.settings.run.evaluate == RunSettings::Run::Evaluate::own; }

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
    try {
      peer.compute_gradient();
    } catch (const std::exception& thrown) {
      stop_asked_ = dynamic_cast<const StopAsked*>(&thrown) != nullptr;
      failure_ = "peer " + std::to_string(peer.id()) + ": its objective failed in iteration " +
                 std::to_string(peer.iteration() + 1) + ": " + thrown.what();
    }
    return !failure_;
  }

  void send_outbox(SimulatedPeer<Scalar>& sender) {
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
               place({outgoing.to, outgoing.key, std::move(outgoing.packet), outgoing.metadata, frame_bytes,
                      &link->arrival}));
    }
    sender.peer->outbox().clear();
  }

  std::uint32_t place(InFlight frame) {
    if (free_places_.empty()) {
      in_flight_.push_back(std::move(frame));
      return static_cast<std::uint32_t>(in_flight_.size() - 1);
    }
    const std::uint32_t free = free_places_.back();
    free_places_.pop_back();
    in_flight_[free] = std::move(frame);
    return free;
  }

  /// Returns the meters of the peer as of now.
  const PeerMeters& read_meters(SimulatedPeer<Scalar>& simulated) const {
    simulated.meters.now = now_ - Instant{};
    simulated.meters.counters = simulated.peer->counters();
    return simulated.meters;
  }

  RunOutcome<Scalar> outcome() {
    std::vector<PeerOutcome> peers;
    for (SimulatedPeer<Scalar>& simulated : peers_) {
      const PeerMeters& meters = read_meters(simulated);
      peers.push_back(peer_outcome(*simulated.peer, meters, peak_memory_bytes()));
      experiment_.problem.objectives[simulated.peer->id()]->take_final_model(simulated.peer->model());
    }
    RunOutcome<Scalar> result = observer_.with_models(observer_.conclude(std::move(peers)));
    result.seconds = seconds(now_ - Instant{});
    if (!judges_own()) return result;
    result.models.clear();
    for (const SimulatedPeer<Scalar>& simulated : peers_) result.models.push_back(simulated.peer->model());
    return result;
  }

  const Experiment<Scalar>& experiment_;
  Duration measured_gradient_;
  const RunControl& control_;
  PacketPool packets_;
  Observer<Scalar> observer_;
  std::vector<SimulatedPeer<Scalar>> peers_;
  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_places_;
  std::vector<Verdict> verdicts_;
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
  return simulate<Scalar>(
      experiment, [&](PeerId id, PacketPool& packets) { return make_peer(experiment, id, packets); },
      measured_gradient, control);
}

template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make,
                            Duration measured_gradient, const RunControl& control) {
  require_all_from_the_start(experiment.settings, "hearsay simulate");
  return Simulation<Scalar>(experiment, make, measured_gradient, control).run();
}

#define HEARSAY_SIMULATE(Scalar)                                                                             \
  template RunOutcome<Scalar> simulate<Scalar>(const Experiment<Scalar>&, Duration, const RunControl&);      \
  template RunOutcome<Scalar> simulate<Scalar>(const Experiment<Scalar>&, const MakePeer<Scalar>&, Duration, \
                                               const RunControl&);
HEARSAY_SIMULATE(float)
HEARSAY_SIMULATE(double)
#undef HEARSAY_SIMULATE

}  // namespace hearsay
