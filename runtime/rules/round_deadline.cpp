#include "runtime/rules/round_deadline.hpp"

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
std::uint64_t model_frame_bytes(const RunView& view) {
  return view.method.composite ? 0 : header_bytes + view.dimension * view.scalar_bytes;
}

/// Returns the least time in which a worker can answer: the model's way to it, the latency both ways, and its
/// gradients, as far as these times are constant.
Duration fastest_answer(const RunSettings& settings, const RunView& view, const RunSettings& untraced) {
  const std::uint64_t bytes = model_frame_bytes(view);
  Duration fastest = Duration::max();
  for (PeerId worker = 1; worker < view.peer_count(); ++worker) {
    const ComputeTime& compute = network_of(settings, worker).compute;
    const auto gradients =
        static_cast<std::int64_t>(local_steps_of(view.options, worker, view.peer_count(), view.worker_count));
    const Duration trains =
        compute.kind == ComputeTime::Kind::constant ? gradients * compute.median : Duration{0};
    fastest = std::min(fastest, message_time(untraced, hub_id, worker, bytes) + trains +
                                    message_time(untraced, worker, hub_id, 0));
  }
  return fastest;
}

}  // namespace

void check_round_deadline(const RunSettings& settings, const RunView& view, Advice& advice) {
  if (!settings.topology.rounds_close()) return;
  const Duration deadline = settings.topology.round_deadline;
  const auto refuse = [&](const std::string& expectation) {
    throw Misuse("topology.round_deadline", to_text(deadline), expectation);
  };
  const MethodInfo& method = view.method;
  if (!method.answers_may_be_late)
    refuse(method.name +
           (method.pattern.has_hub ? " keeps what an answer in vain would make wrong"
                                   : " has no hub that waits for answers") +
           "; expected 0 s, or one of " +
           methods_that([](const MethodInfo& other) { return other.answers_may_be_late; }));
  if (settings.failure.keeps_checkpoints())
    refuse(
        "whose answers a round has depends on when they came, and cannot be lived through again; expected "
        "failure.checkpoint_every = 0");
  if (view.peer_count() < 2) refuse("there is nobody to wait for; expected 0 s");
  const RunSettings untraced = without_traces(settings);
  const Duration fastest = fastest_answer(settings, view, untraced);
  if (deadline <= fastest)
    refuse("no answer is there before " + about(fastest) +
           ", the way of the model, the latency both ways and the gradients; expected more than that");
  const PeerId told = answering_in(view.schedule) - (settings.topology.hub == HubData::its_own);
  const Duration all_told = told * sending_time(untraced, hub_id, model_frame_bytes(view));
  if (all_told <= deadline) return;
  advice.warn("topology.round_deadline = " + to_text(deadline) + ": the hub's port takes " + about(all_told) +
              " to tell " + std::to_string(told) +
              " workers the model, so most answers will be late; expected more, "
              "or a smaller topology.participation");
}

}  // namespace hearsay
