#include "runtime/experiment/round_deadline.hpp"

#include <algorithm>
#include <string>

#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/settings/link_settings.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

/// Returns the least time in which a worker can answer: the latency both ways, and its gradients, if their
/// time is a constant.
template <class Scalar>
Duration fastest_answer(const Experiment<Scalar>& experiment) {
  const RunSettings& settings = experiment.settings;
  Duration fastest = Duration::max();
  for (PeerId worker = 1; worker < experiment.peer_count(); ++worker) {
    const ComputeTime& compute = network_of(settings, worker).compute;
    const auto gradients = static_cast<std::int64_t>(local_steps_of(
        settings.algorithm.options, worker, experiment.peer_count(), settings.topology.workers()));
    const Duration trains =
        compute.kind == ComputeTime::Kind::constant ? gradients * compute.median : Duration{0};
    fastest = std::min(fastest, link_settings(settings, hub_id, worker).latency + trains +
                                    link_settings(settings, worker, hub_id).latency);
  }
  return fastest;
}

}  // namespace

template <class Scalar>
void check_round_deadline(const Experiment<Scalar>& experiment) {
  if (!experiment.settings.topology.rounds_close()) return;
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
  const Duration fastest = fastest_answer(experiment);
  if (deadline <= fastest)
    refuse("no answer is there before " + to_text(fastest) +
           ", the latency both ways and the gradients; expected more than that");
}

template void check_round_deadline<float>(const Experiment<float>&);
template void check_round_deadline<double>(const Experiment<double>&);

}  // namespace hearsay
