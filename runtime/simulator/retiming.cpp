#include "runtime/simulator/retiming.hpp"

#include <algorithm>

#include "runtime/simulator/simulator.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// An objective with the given number of samples that computes nothing.
template <class Scalar>
class NoObjective final : public Objective<Scalar> {
 public:
  explicit NoObjective(Index samples) : samples_(samples) {}
  Index dimension() const override { return 1; }
  Index sample_count() const override { return samples_; }
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>& gradient) const override {
    gradient.setZero();
  }

 private:
  Index samples_;
};

/// A method that plays a trace: it asks for every gradient, message and wait in it.
template <class Scalar>
class TracePlayer final : public Algorithm<Scalar> {
 public:
  explicit TracePlayer(const WorkTrace& trace) : script_(trace), model_(1), samples_(trace.most_samples()) {
    model_.setZero();
  }

  Task iterate(Iteration<Scalar>& it) override {
    it.sample_count();  // makes the peer list its samples, in which it measures the work of a gradient
    PacketRef packet;
    for (const WorkStep& step : script_.of(it.number())) {
      if (step.kind == WorkStep::Kind::gradient) {
        co_await it.gradient(model_, std::span<const Index>(samples_).first(step.amount));
      } else if (step.kind == WorkStep::Kind::wait) {
        co_await it.collect(step.slot, it.number() - step.amount, step.senders);
      } else {
        if (!packet || packet->size() != step.amount) {
          PacketBuffer buffer = it.new_packet();
          buffer.resize(step.amount);
          packet = std::move(buffer).seal();
        }
        it.send(step.slot, step.to, packet);
      }
    }
  }
  const Vector<Scalar>& model() const override { return model_; }
  void visit_state(StateVisitor<Scalar>& visitor) override { visitor.state("x", model_); }
  Traffic traffic(std::uint64_t, const PeerRows&) const override { return {}; }

 private:
  const WorkTrace& script_;
  Vector<Scalar> model_;
  std::vector<Index> samples_;
};

/// Returns the experiment with the same peers, links and steps, but with objectives that compute nothing.
template <class Scalar>
Experiment<Scalar> without_training(const Experiment<Scalar>& experiment, const RunSettings& settings) {
  Problem<Scalar> nothing;
  for (const auto& objective : experiment.problem.objectives)
    nothing.objectives.push_back(std::make_unique<NoObjective<Scalar>>(objective->sample_count()));
  nothing.initial = Vector<Scalar>(1);
  nothing.initial.setZero();
  Experiment<Scalar> rest{resolved(settings, experiment.topology),
                          std::move(nothing),
                          experiment.topology,
                          experiment.schedule,
                          experiment.method,
                          experiment.step_size,
                          experiment.iterations,
                          {},
                          {},
                          0.0,
                          {},
                          {}};
  rest.settings.run.judge_nothing();
  return rest;
}

/// A run that ended early was stopped by the verdict on the evaluation before its last one.
template <class Scalar>
Playback playback_of(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced) {
  Playback playback{.bytes = evaluation_frame_bytes(experiment)};
  const std::uint64_t last = traced.outcome.peers.front().iterations;
  if (last < experiment.iterations) playback.stops_after = last - experiment.settings.run.evaluate_every;
  return playback;
}

void take_times(const Evaluation& from, Evaluation& to) {
  ensure(from.iteration == to.iteration && from.bytes_sent == to.bytes_sent,
         "a run that is timed again takes the same steps");
  to.seconds = from.seconds;
  to.compute_seconds = from.compute_seconds;
  to.wait_seconds = from.wait_seconds;
  to.wire_seconds = from.wire_seconds;
}

}  // namespace

template <class Scalar>
TracedRun<Scalar> simulate_traced(const Experiment<Scalar>& experiment, Duration measured_gradient,
                                  const RunControl& control) {
  TracedRun<Scalar> traced;
  traced.traces.resize(experiment.peer_count());
  traced.outcome = simulate<Scalar>(
      experiment,
      [&](PeerId id, PacketPool& packets) {
        auto peer = make_peer(experiment, id, packets);
        if (!experiment.method->asynchronous) peer->record_into(traced.traces[id]);
        return peer;
      },
      measured_gradient, control);
  for (WorkTrace& trace : traced.traces) trace.end();
  return traced;
}

template <class Scalar>
bool may_be_retimed(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced) {
  return !experiment.method->asynchronous && came_to_its_end(traced.outcome.status);
}

template <class Scalar>
RunOutcome<Scalar> retime(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced,
                          const RunSettings& settings, Duration measured_gradient) {
  ensure(may_be_retimed(experiment, traced), "only a run that is the same on every network is timed again");
  const Experiment<Scalar> rest = without_training(experiment, settings);
  const RunOutcome<Scalar> played = simulate<Scalar>(
      rest,
      [&](PeerId id, PacketPool& packets) {
        return make_peer_with<Scalar>(rest, id, packets,
                                      std::make_unique<TracePlayer<Scalar>>(traced.traces[id]));
      },
      measured_gradient, {}, playback_of(experiment, traced));

  RunOutcome<Scalar> outcome = traced.outcome;
  outcome.seconds = played.seconds;
  for (std::size_t k = 0; k < outcome.evaluations.size(); ++k)
    take_times(played.evaluations.at(k), outcome.evaluations[k]);
  for (std::optional<Evaluation>* const chosen : {&outcome.target, &outcome.best}) {
    if (!*chosen) continue;
    const auto same = std::ranges::find(outcome.evaluations, (*chosen)->iteration, &Evaluation::iteration);
    take_times(*same, **chosen);
  }
  for (std::size_t id = 0; id < outcome.peers.size(); ++id) {
    const PeerCounters counters =
        outcome.peers[id].meters.counters;  // the player has no replicas, so it does not count them
    outcome.peers[id].meters = played.peers[id].meters;
    outcome.peers[id].meters.counters = counters;
  }
  return outcome;
}

#define HEARSAY_RETIMING(Scalar)                                                                  \
  template TracedRun<Scalar> simulate_traced<Scalar>(const Experiment<Scalar>&, Duration,         \
                                                     const RunControl&);                          \
  template bool may_be_retimed<Scalar>(const Experiment<Scalar>&, const TracedRun<Scalar>&);      \
  template RunOutcome<Scalar> retime<Scalar>(const Experiment<Scalar>&, const TracedRun<Scalar>&, \
                                             const RunSettings&, Duration);
HEARSAY_RETIMING(float)
HEARSAY_RETIMING(double)
#undef HEARSAY_RETIMING

}  // namespace hearsay
