#include "runtime/experiment/round_deadline.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/network/message_time.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

/// "170 ms": whole milliseconds if there are ten of them.
std::string about(Duration time) {
  using std::chrono::milliseconds;
  return to_text(time < milliseconds(10) ? time : Duration(std::chrono::floor<milliseconds>(time)));
}

/// Returns the bytes by which the hub tells a worker its model; 0 if a model with zeros may be shorter.
template <class Scalar>
std::uint64_t model_frame_bytes(const Experiment<Scalar>& experiment) {
  if (experiment.method->composite) return 0;
  return header_bytes + static_cast<std::uint64_t>(experiment.problem.dimension()) * sizeof(Scalar);
}

/// Returns the least time in which a worker can answer: the model's way to it, the latency both ways, and its
/// gradients, as far as these times are constant.
template <class Scalar>
Duration fastest_answer(const Experiment<Scalar>& experiment, const RunSettings& untraced) {
  const RunSettings& settings = experiment.settings;
  const std::uint64_t bytes = model_frame_bytes(experiment);
  Duration fastest = Duration::max();
  for (PeerId worker = 1; worker < experiment.peer_count(); ++worker) {
    const ComputeTime& compute = network_of(settings, worker).compute;
    const auto gradients = static_cast<std::int64_t>(local_steps_of(
        settings.algorithm.options, worker, experiment.peer_count(), settings.topology.workers()));
    const Duration trains =
        compute.kind == ComputeTime::Kind::constant ? gradients * compute.median : Duration{0};
    fastest = std::min(fastest, message_time(untraced, hub_id, worker, bytes) + trains +
                                    message_time(untraced, worker, hub_id, 0));
  }
  return fastest;
}

}  // namespace

template <class Scalar>
std::vector<std::string> doubts_of_round_deadline(const Experiment<Scalar>& experiment) {
  if (!experiment.settings.topology.rounds_close()) return {};
  const Duration deadline = experiment.settings.topology.round_deadline;
  const auto refuse = [&](const std::string& expectation) {
    throw Misuse("topology.round_deadline", to_text(deadline), expectation);
  };
  const MethodInfo& method = *experiment.method;
  if (!method.answers_may_be_late)
    refuse(method.name +
           (method.pattern.has_hub ? " keeps what an answer in vain would make wrong"
                                   : " has no hub that waits for answers") +
           "; expected 0 s, or one of " +
           methods_that([](const MethodInfo& other) { return other.answers_may_be_late; }));
  if (experiment.settings.failure.keeps_checkpoints())
    refuse(
        "whose answers a round has depends on when they came, and cannot be lived through again; expected "
        "failure.checkpoint_every = 0");
  if (experiment.peer_count() < 2) refuse("there is nobody to wait for; expected 0 s");
  const RunSettings untraced = without_traces(experiment.settings);
  const Duration fastest = fastest_answer(experiment, untraced);
  if (deadline <= fastest)
    refuse("no answer is there before " + about(fastest) +
           ", the way of the model, the latency both ways and the gradients; expected more than that");
  const PeerId told =
      answering_in(*experiment.schedule) - (experiment.settings.topology.hub == HubData::its_own);
  const Duration all_told = told * sending_time(untraced, hub_id, model_frame_bytes(experiment));
  if (all_told <= deadline) return {};
  return {"topology.round_deadline = " + to_text(deadline) + ": the hub's port takes " + about(all_told) +
          " to tell " + std::to_string(told) +
          " workers the model, so most answers will be late; expected more, "
          "or a smaller topology.participation"};
}

template std::vector<std::string> doubts_of_round_deadline<float>(const Experiment<float>&);
template std::vector<std::string> doubts_of_round_deadline<double>(const Experiment<double>&);

}  // namespace hearsay
