#include "runtime/simulator/retiming.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "runtime/experiment/resolve.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/simulator/no_objective.hpp"
#include "runtime/simulator/simulator.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// Addresses without memory, for messages that nobody reads. So a message may be longer than this machine's
/// memory. Reading one is a bug, and ends the process.
class AddressSpace {
 public:
  explicit AddressSpace(std::uint64_t bytes) : bytes_(std::max<std::uint64_t>(bytes, 1)) {
    begin_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin_ == MAP_FAILED)
      throw Misuse(
          "a message of " + std::to_string(bytes_) +
          " bytes has no addresses in this process; expected a smaller model.kind, or no limit of the "
          "address space (ulimit -v)");
  }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace() { munmap(begin_, bytes_); }

  std::span<const std::byte> first(std::uint64_t bytes) const {
    return {static_cast<const std::byte*>(begin_), static_cast<std::size_t>(bytes)};
  }

 private:
  std::uint64_t bytes_;
  void* begin_;
};

/// A packet of which only the length is known.
class UnwrittenPacket final : public Packet {
 public:
  explicit UnwrittenPacket(std::span<const std::byte> bytes) { bytes_ = bytes; }

 private:
  void retire() override { delete this; }
};

/// A method that plays a trace: it asks for every gradient, message and wait in it.
template <class Scalar>
class TracePlayer final : public Algorithm<Scalar> {
 public:
  /// `trace` and `space` outlive the player.
  TracePlayer(const WorkTrace& trace, const AddressSpace& space)
      : script_(trace), space_(space), model_(1), samples_(trace.most_samples()) {
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
        if (!packet || packet->size() != step.amount)
          packet = PacketRef(new UnwrittenPacket(space_.first(step.amount)));
        it.send(step.slot, step.to, packet);
      }
    }
  }
  const Vector<Scalar>& model() const override { return model_; }
  void visit_state(StateVisitor<Scalar>& visitor) override { visitor.state("x", model_); }
  Traffic traffic(std::uint64_t, const PeerRows&) const override { return {}; }

 private:
  const WorkTrace& script_;
  const AddressSpace& space_;
  Vector<Scalar> model_;
  std::vector<Index> samples_;
};

/// Returns the experiment with the same peers, links and steps, but with objectives that compute nothing.
template <class Scalar>
Experiment<Scalar> without_training(const Experiment<Scalar>& experiment, const RunSettings& settings) {
  Problem<Scalar> nothing;
  for (const auto& objective : experiment.problem.objectives)
    nothing.objectives.push_back(std::make_unique<NoObjective<Scalar>>(objective->sample_count(), 1));
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

std::uint64_t longest_message(const std::vector<WorkTrace>& traces) {
  std::uint64_t longest = 0;
  for (const WorkTrace& trace : traces) longest = std::max(longest, trace.longest_message());
  return longest;
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
  if (!experiment.settings.faults.empty()) {  // each network has a course of its own then
    traced.outcome = simulate(experiment, measured_gradient, control);
    return traced;
  }
  traced.traces.resize(experiment.peer_count());
  traced.outcome = simulate<Scalar>(
      experiment,
      [&](PeerId id, PacketPool& packets) {
        auto peer = make_peer(experiment, id, packets);
        if (!experiment.depends_on_arrivals()) peer->record_into(traced.traces[id]);
        return peer;
      },
      measured_gradient, control);
  for (WorkTrace& trace : traced.traces) trace.end();
  return traced;
}

template <class Scalar>
bool may_be_retimed(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced) {
  // Models are kept by runs that train, each in a folder of its own.
  return !experiment.depends_on_arrivals() && came_to_its_end(traced.outcome.status) &&
         experiment.settings.run.keep_models.every == 0 && !experiment.settings.run.evaluates_by_time();
}

template <class Scalar>
RunOutcome<Scalar> play(const Experiment<Scalar>& experiment, const std::vector<WorkTrace>& traces,
                        const RunSettings& settings, Duration measured_gradient, std::uint64_t stops_after) {
  const Experiment<Scalar> rest = without_training(experiment, settings);
  const AddressSpace space(longest_message(traces));
  return simulate<Scalar>(
      rest,
      [&](PeerId id, PacketPool& packets) {
        return make_peer_with<Scalar>(rest, id, packets, [&](PeerId player) {
          return std::make_unique<TracePlayer<Scalar>>(traces[player], space);
        });
      },
      measured_gradient, {},
      Playback{.bytes = evaluation_frame_bytes(experiment), .stops_after = stops_after});
}

template <class Scalar>
RunOutcome<Scalar> retime(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced,
                          const RunSettings& settings, Duration measured_gradient) {
  ensure(may_be_retimed(experiment, traced), "only a run that is the same on every network is timed again");
  // A run that ended early was stopped by the verdict on the evaluation before its last one.
  const std::uint64_t last = traced.outcome.peers.front().iterations;
  const RunOutcome<Scalar> played =
      play(experiment, traced.traces, settings, measured_gradient,
           last < experiment.iterations ? last - experiment.settings.run.evaluate_every : played_to_the_end);

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

#define HEARSAY_RETIMING(Scalar)                                                                     \
  template TracedRun<Scalar> simulate_traced<Scalar>(const Experiment<Scalar>&, Duration,            \
                                                     const RunControl&);                             \
  template bool may_be_retimed<Scalar>(const Experiment<Scalar>&, const TracedRun<Scalar>&);         \
  template RunOutcome<Scalar> play<Scalar>(const Experiment<Scalar>&, const std::vector<WorkTrace>&, \
                                           const RunSettings&, Duration, std::uint64_t);             \
  template RunOutcome<Scalar> retime<Scalar>(const Experiment<Scalar>&, const TracedRun<Scalar>&,    \
                                             const RunSettings&, Duration);
HEARSAY_RETIMING(float)
HEARSAY_RETIMING(double)
#undef HEARSAY_RETIMING

}  // namespace hearsay
