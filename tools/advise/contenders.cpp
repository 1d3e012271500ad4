#include "tools/advise/contenders.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "tools/advise/probe_problem.hpp"
#include "tools/check/dry_run.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr int most_contender_halvings = 3;
constexpr auto patience = std::chrono::milliseconds(500);  // of a dry run

void take_for_constant(NetworkSettings& network, Duration measured) {
  if (network.compute.kind == ComputeTime::Kind::measured)
    network.compute = {ComputeTime::Kind::constant, measured, 0.0};
}

}  // namespace

RunSettings simulated(RunSettings settings, Duration measured_gradient) {
  take_for_constant(settings.network, measured_gradient);
  for (auto& [peer, network] : settings.peer_networks) take_for_constant(network, measured_gradient);
  settings.run.judge_nothing();
  return settings;
}

template <class Scalar>
void time_iteration(Contender& contender, const Problem<Scalar>& imitated, Duration measured_gradient) {
  Prospect& prospect = contender.prospect;
  const MethodInfo& method = find_method(prospect.settings.algorithm.kind);
  for (int halvings = 0;; ++halvings) {
    try {
      Experiment<Scalar> experiment =
          prepare<Scalar>(simulated(prospect.settings, measured_gradient), borrowed(imitated));
      const DryRun forecast = dry_run(experiment, forecast_traffic(experiment), patience);
      contender.seconds_per_iteration = forecast.seconds_per_iteration.value_or(0.0);
      prospect.hub_port_share = forecast.hub_port_share;
      contender.bytes = std::accumulate(forecast.peer_bytes.begin(), forecast.peer_bytes.end(), 0.0);
      const RunSettings& found = experiment.settings;
      prospect.settings.algorithm = found.algorithm;
      prospect.settings.topology = found.topology;
      prospect.settings.link_overrides = found.link_overrides;
      prospect.leave_out(Fate::untold, "");
      return;
    } catch (const Misuse& misuse) {
      prospect.leave_out(Fate::refused, misuse.what());
    }
    if (!method.options.has(option::consensus_step) || halvings == most_contender_halvings) return;
    MethodOptions& options = prospect.settings.algorithm.options;
    const double step = options.find(option::consensus_step).value_or(method.options[option::consensus_step]);
    options.set(option::consensus_step, step / 2.0);
  }
}

template <class Scalar>
std::optional<double> hub_port_share_of(Experiment<Scalar>& experiment) {
  return dry_run(experiment, forecast_traffic(experiment), patience).hub_port_share;
}

void put_in_order(std::vector<Contender>& contenders) {
  std::ranges::stable_sort(contenders, {}, [](const Contender& contender) {
    const RunSettings::Algorithm& algorithm = contender.prospect.settings.algorithm;
    return std::tuple(algorithm.kind != exact_average,
                      contender.usual_iterations * contender.seconds_per_iteration,
                      algorithm.compressor != "none", contender.bytes);
  });
}

template void time_iteration(Contender&, const Problem<float>&, Duration);
template void time_iteration(Contender&, const Problem<double>&, Duration);
template std::optional<double> hub_port_share_of(Experiment<float>&);
template std::optional<double> hub_port_share_of(Experiment<double>&);

}  // namespace hearsay
