#include "tools/check/dry_run.hpp"

#include <algorithm>
#include <utility>

#include "runtime/record/hub_port.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/wire/frame.hpp"
#include "tools/training/first_iterations.hpp"
#include "tools/training/training.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

using Clock = std::chrono::steady_clock;

/// How a run goes on the network does not depend on its gradients then; whether it explodes at once does.
constexpr std::size_t enough_samples_if_sizes_are_known = 4;

/// Bytes of payload that were sent, and the upper bound of their number.
struct Payload {
  double taken = 0.0;
  double room = 0.0;

  double share() const { return room > 0.0 ? taken / room : 1.0; }
};

/// Fills in the bytes of the whole run: as many messages as `most` forecasts, each as long as in the dry run.
/// For an asynchronous method `most` is only a bound; so each iteration is assumed to send as many bytes as
/// one of the dry run, and the run has `iterations_per_dry_one` times as many iterations.
void forecast_bytes(const TrafficForecast& most, const std::vector<PeerOutcome>& peers,
                    std::optional<double> iterations_per_dry_one, DryRun& forecast) {
  Payload of_all;
  for (std::size_t id = 0; id < peers.size(); ++id) {
    const PeerMeters& sent = peers[id].meters;
    if (iterations_per_dry_one) {
      forecast.peer_bytes.push_back(*iterations_per_dry_one * static_cast<double>(sent.bytes_sent));
      continue;
    }
    const PeerTraffic& bound = most.peers[id];
    const auto headers = static_cast<double>(header_bytes * bound.messages);
    const double payload = static_cast<double>(bound.bytes) - headers;
    Payload of_peer;
    if (bound.messages > 0)
      of_peer.room = static_cast<double>(sent.messages_sent) * payload / static_cast<double>(bound.messages);
    of_peer.taken = static_cast<double>(sent.bytes_sent - header_bytes * sent.messages_sent);
    forecast.peer_bytes.push_back(most.exact ? static_cast<double>(bound.bytes)
                                             : headers + of_peer.share() * payload);
    of_all.taken += of_peer.taken;
    of_all.room += of_peer.room;
  }
  if (!most.exact) forecast.payload_share = of_all.share();
}

/// Returns the share of the time that the hub's port was busy, the busier way; empty if it is unlimited.
std::optional<double> busy_share(const RunSettings& settings, const PeerMeters& hub) {
  const HubPort port = hub_port_of(settings, hub);
  if (hub.now == Duration{0} || (!port.seconds_to_workers && !port.seconds_from_workers)) return std::nullopt;
  const double busier =
      std::max(port.seconds_to_workers.value_or(0.0), port.seconds_from_workers.value_or(0.0));
  return std::min(1.0, busier / seconds(hub.now));
}

}  // namespace

DryRun untried(const TrafficForecast& most) {
  DryRun forecast;
  forecast.too_large = true;
  for (const PeerTraffic& peer : most.peers) forecast.peer_bytes.push_back(static_cast<double>(peer.bytes));
  return forecast;
}

template <class Scalar>
DryRun dry_run(Experiment<Scalar>& experiment, const TrafficForecast& most, Duration patience) {
  DryRun forecast;
  forecast.gradient = measured_gradient_of(experiment);
  const Clock::time_point begin = Clock::now();
  const Clock::time_point give_up = begin + patience;
  const std::optional<std::size_t> few =
      most.exact ? std::optional(enough_samples_if_sizes_are_known) : std::nullopt;
  RunOutcome<Scalar> outcome = simulate_first(experiment, first_try, forecast.gradient, give_up, few);
  std::uint64_t tried = std::min(first_try, experiment.iterations);
  const Clock::duration second_takes = (Clock::now() - begin) * (second_try / first_try);
  if (outcome.status == RunStatus::done && experiment.iterations > first_try &&
      Clock::now() + second_takes < give_up) {
    RunOutcome<Scalar> longer = simulate_first(experiment, second_try, forecast.gradient, give_up, few);
    if (longer.status != RunStatus::interrupted) {
      outcome = std::move(longer);
      tried = std::min(second_try, experiment.iterations);
    }
  }

  forecast_bytes(most, outcome.peers,
                 experiment.method->asynchronous
                     ? std::optional(static_cast<double>(experiment.iterations) / static_cast<double>(tried))
                     : std::nullopt,
                 forecast);
  forecast.given_up = outcome.status == RunStatus::interrupted;
  if (forecast.given_up) return forecast;
  forecast.failure = outcome.reason;
  // A run that diverges at once has only the evaluation of its start. Where peers come and go, the times of
  // the first iterations are not those of later ones.
  if (outcome.evaluations.size() < 2 || peers_come_and_go(experiment.settings)) return forecast;
  const Evaluation& last = outcome.evaluations.back();
  const Evaluation before = last.iteration == experiment.iterations && ends_otherwise(*experiment.method)
                                ? Evaluation{}
                                : outcome.evaluations[outcome.evaluations.size() - 2];
  double per_iteration =
      (last.seconds - before.seconds) / static_cast<double>(last.iteration - before.iteration);
  // These iterations are evaluated one by one, so the hub waits for the slowest worker after all. A round
  // lasts until its deadline, or until what the hub says has left its port.
  if (experiment.settings.topology.rounds_close()) {
    const PeerMeters& hub = outcome.peers[hub_id].meters;
    const auto rounds = static_cast<double>(last.iteration);
    const HubPort port = hub_port_of(
        experiment.settings,
        {static_cast<double>(hub.bytes_sent) / rounds, static_cast<double>(hub.messages_sent) / rounds}, {});
    const double closes =
        std::max(seconds(experiment.settings.topology.round_deadline), port.seconds_to_workers.value_or(0.0));
    per_iteration = std::min(per_iteration, closes);
  }
  forecast.seconds_per_iteration = per_iteration;
  if (experiment.method->pattern.has_hub)
    forecast.hub_port_share = busy_share(experiment.settings, outcome.peers[hub_id].meters);
  if (last.seconds > before.seconds)
    forecast.computing_share =
        (last.compute_seconds - before.compute_seconds) / (last.seconds - before.seconds);
  const bool went_on = last.iteration < experiment.iterations && ends_otherwise(*experiment.method);
  const std::uint64_t rest = experiment.iterations - last.iteration - (went_on ? 1 : 0);
  forecast.seconds = (went_on ? outcome.seconds : last.seconds) + per_iteration * static_cast<double>(rest);
  return forecast;
}

template DryRun dry_run(Experiment<float>&, const TrafficForecast&, Duration);
template DryRun dry_run(Experiment<double>&, const TrafficForecast&, Duration);

}  // namespace hearsay
