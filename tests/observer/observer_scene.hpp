#pragma once

#include <vector>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/observer/observer_session.hpp"
#include "runtime/record/json.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test {

inline Experiment<double> two_peer_experiment() {
  auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  experiment.settings.failure.lost_after = std::chrono::seconds(6);
  return experiment;
}

inline Experiment<double> dropping_experiment(std::uint64_t iterations = 20) {
  auto experiment = two_peer_experiment();
  experiment.settings.failure.policy = RunSettings::Failure::Policy::drop;
  experiment.iterations = iterations;
  return experiment;
}

/// An observer and two peers that a test plays by hand: 20 iterations, an evaluation every 5.
struct ObserverScene {
  Experiment<double> experiment = two_peer_experiment();
  Agreement agreement = agreement_of(experiment);
  Observer<double> evaluator{experiment.problem, {}, {}, who_judges(experiment.problem)};
  ObserverSession session;

  explicit ObserverScene(const RunRecord& earlier = {})
      : session{observer_input(experiment, std::chrono::seconds(10)), evaluator, Instant{}, earlier} {}
  /// The same peers on two hosts.
  static ObserverInput on_hosts(const Experiment<double>& experiment) {
    ObserverInput input = observer_input(experiment, std::chrono::seconds(100));
    input.addresses = {"tcp://a:1", "tcp://b:1"};
    return input;
  }
  explicit ObserverScene(Experiment<double> of_run)
      : experiment(std::move(of_run)),
        session{observer_input(experiment, std::chrono::seconds(10)), evaluator, Instant{}} {}

  void say(PeerId sender, FrameKind kind, std::span<const std::byte> payload = {},
           std::uint64_t iteration = 0, std::uint32_t of_run = 0, Slot slot = 0,
           std::uint32_t incarnation = 0) {
    FrameHeader header;
    header.incarnation = incarnation;
    header.slot = slot;
    header.kind = kind;
    header.sender = sender;
    header.iteration = iteration;
    header.run_id = of_run == 0 ? run_id(agreement) : of_run;
    session.hear(header, payload, Instant{} + std::chrono::seconds(1));
  }
  /// `slot` 1: the peer resumes, 2: it is in the middle of the run.
  void hello(PeerId sender, Slot slot = 0) {
    say(sender, FrameKind::hello, encode_agreement(agreement), experiment.iterations, 0, slot);
  }
  void start() {
    for (const PeerId id : {0u, 1u}) hello(id);
    for (const PeerId id : {0u, 1u}) say(id, FrameKind::ready);
  }
  void evaluation(PeerId sender, std::uint64_t iteration) {
    say(sender, FrameKind::evaluation, encode_snapshot(PeerMeters{}, experiment.problem.initial), iteration);
  }
  /// Both peers answer the last word of the observer.
  void answer_last_word() {
    for (const PeerId id : {0u, 1u}) say(id, FrameKind::bye);
  }
  void result(PeerId sender) { say(sender, FrameKind::result, encode_outcome(PeerOutcome{})); }

  /// Returns the kinds of the frames to `to` since the last call, and clears the outbox.
  std::vector<FrameKind> said_to(PeerId to) {
    std::vector<FrameKind> kinds;
    for (const ObserverFrame& word : session.outbox())
      if (word.to == to) kinds.push_back(word.header.kind);
    session.outbox().clear();
    return kinds;
  }
};

using Kinds = std::vector<FrameKind>;

}  // namespace hearsay::test
