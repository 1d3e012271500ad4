#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "algorithms/compression/rate_distortion.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "runtime/simulator.hpp"
#include "runtime/sweep_settings.hpp"
#include "runtime/traffic_forecast.hpp"
#include "tools/human_text.hpp"
#include "tools/scalar_dispatch.hpp"
#include "tools/table.hpp"
#include "tools/training.hpp"
#include "topology/misuse.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t simulated_iterations = 12;

/// The run's time under its network, extrapolated from its first iterations.
struct TimeForecast {
  Duration gradient{0};  ///< measured; 0 where it is emulated
  double per_iteration = 0.0;
  double total = 0.0;
};

/// Simulates the first iterations, evaluated twice, so that what happens once at the start does not count twice.
template <class Scalar>
TimeForecast forecast_time(Experiment<Scalar>& experiment) {
  const std::uint64_t iterations = experiment.iterations;
  const std::uint64_t evaluate_every = experiment.settings.run.evaluate_every;
  const auto target_loss = std::exchange(experiment.settings.run.target_loss, std::nullopt);
  experiment.iterations = std::min(iterations, simulated_iterations);
  experiment.settings.run.evaluate_every = std::max<std::uint64_t>(1, experiment.iterations / 2);
  TimeForecast forecast;
  forecast.gradient = measured_gradient_of(experiment);
  const RunOutcome<Scalar> outcome = simulate(experiment, forecast.gradient);
  experiment.iterations = iterations;
  experiment.settings.run.evaluate_every = evaluate_every;
  experiment.settings.run.target_loss = target_loss;

  const Evaluation& last = outcome.evaluations.back();
  const Evaluation& before = outcome.evaluations[outcome.evaluations.size() - 2];
  forecast.per_iteration =
      (last.seconds - before.seconds) / static_cast<double>(last.iteration - before.iteration);
  forecast.total = last.seconds + forecast.per_iteration * static_cast<double>(iterations - last.iteration);
  return forecast;
}

/// Everything that a run file decides, and what follows from it.
struct Plan {
  RunSettings settings;  ///< resolved
  const MethodInfo* method;
  Traits traits;
  std::uint64_t dimension = 0;
  std::uint64_t iterations = 0;
  PeerId peers = 0;
  std::string weights;
  std::uint64_t period = 1;
  Spectrum spectrum;
  std::optional<double> omega_limit;
  TrafficForecast traffic;
  TimeForecast time;
  std::vector<std::string> warnings;

  double bits_per_coordinate() const {
    return 8.0 * static_cast<double>(traits.bytes) / static_cast<double>(dimension);
  }
  /// Of a peer, averaged over the iterations.
  std::vector<double> bytes_per_iteration() const {
    std::vector<double> bytes;
    for (const PeerTraffic& peer : traffic.peers)
      bytes.push_back(static_cast<double>(peer.bytes) / static_cast<double>(iterations));
    return bytes;
  }
  double mean_bytes_per_iteration() const {
    return static_cast<double>(traffic.total_bytes()) /
           (static_cast<double>(peers) * static_cast<double>(iterations));
  }
};

template <class Scalar>
Plan plan_of(const RunSettings& settings) {
  Experiment<Scalar> experiment = prepare<Scalar>(settings);
  Plan plan;
  plan.method = experiment.method;
  plan.dimension = static_cast<std::uint64_t>(experiment.problem.dimension());
  plan.traits = measured_traits(*make_compressor<Scalar>(experiment.settings.algorithm.compressor,
                                                         experiment.problem.objectives.front()->segments()),
                                plan.dimension);
  plan.iterations = experiment.iterations;
  plan.peers = experiment.peer_count();
  plan.weights = experiment.cluster.weights;
  plan.period = experiment.schedule->period();
  plan.spectrum = spectrum(experiment.cluster.mixing);
  plan.omega_limit = experiment.omega_limit;
  plan.traffic = forecast_traffic(experiment);
  plan.time = forecast_time(experiment);
  plan.warnings = experiment.warnings;
  plan.settings = experiment.settings;
  return plan;
}

Json or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json as_json(const std::string& name, const Plan& plan) {
  const std::vector<double> bytes = plan.bytes_per_iteration();
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  Json totals = Json::array();
  for (const PeerTraffic& peer : plan.traffic.peers) totals.push_back(peer.bytes);
  return {
      {"run", name},
      {"algorithm", plan.method->name},
      {"compressor", plan.settings.algorithm.compressor},
      {"feedback", plan.method->feeds_back ? Json(plan.settings.algorithm.feedback) : Json(nullptr)},
      {"unbiased", plan.traits.unbiased},
      {"omega_worst", or_null(plan.traits.omega)},
      {"omega_typical", or_null(plan.traits.omega_typical)},
      {"omega_limit", or_null(plan.omega_limit)},
      {"contraction", or_null(plan.traits.contraction)},
      {"bits_per_coordinate", plan.bits_per_coordinate()},
      {"least_bits_per_coordinate", or_null(least_bits_per_coordinate(plan.traits))},
      {"dimension", plan.dimension},
      {"scalar", plan.settings.run.scalar == ScalarKind::float32 ? "float" : "double"},
      {"iterations", plan.iterations},
      {"peers", plan.peers},
      {"weights", plan.weights},
      {"spectral_gap", plan.period == 1 ? Json(plan.spectrum.spectral_gap) : Json(nullptr)},
      {"bytes_exact", plan.traffic.exact},
      {"bytes_per_iteration", {{"min", *least}, {"mean", plan.mean_bytes_per_iteration()}, {"max", *most}}},
      {"bytes_per_peer", std::move(totals)},
      {"bytes_sent", plan.traffic.total_bytes()},
      {"seconds_per_iteration", plan.time.per_iteration},
      {"seconds", plan.time.total},
      {"warnings", plan.warnings}};
}

std::string bytes_text(double bytes) {
  return bytes == std::floor(bytes) ? grouped(static_cast<std::uint64_t>(bytes)) : fixed(bytes, 1);
}

std::string network_text(const RunSettings& settings) {
  const NetworkSettings& network = settings.network;
  std::string text =
      network.bandwidth_up == network.bandwidth_down
          ? to_text(network.bandwidth_up)
          : to_text(network.bandwidth_up) + " up, " + to_text(network.bandwidth_down) + " down";
  text += ", latency " + to_text(network.latency);
  if (network.jitter > Duration{0}) text += ", jitter up to " + to_text(network.jitter);
  if (network.message_loss > 0)
    text += ", loses " + significant(100 * network.message_loss) + " % of the messages";
  if (!settings.peer_networks.empty())
    text += "; " + counted(settings.peer_networks.size(), "peer") + " differ";
  if (!settings.link_overrides.empty())
    text += "; " + counted(settings.link_overrides.size(), "link") + " differ";
  return text;
}

std::string compute_text(const Plan& plan) {
  const ComputeTime& compute = plan.settings.network.compute;
  switch (compute.kind) {
    case ComputeTime::Kind::measured:
      break;
    case ComputeTime::Kind::constant:
      return to_text(compute.median);
    case ComputeTime::Kind::lognormal:
      return "lognormal around " + to_text(compute.median) + ", sigma " + significant(compute.sigma);
  }
  return seconds_text(seconds(plan.time.gradient)) + ", measured here";
}

std::string compressor_text(const Plan& plan) {
  std::string text = plan.settings.algorithm.compressor + "   " + significant(plan.bits_per_coordinate(), 3) +
                     " bits per coordinate" + (plan.traits.data_dependent_size ? " at most" : "");
  return text;
}

std::string error_text(const Plan& plan) {
  const Traits& traits = plan.traits;
  if (plan.settings.algorithm.compressor == "none") return "none";
  std::string text = traits.unbiased ? "unbiased" : "biased";
  if (traits.unbiased && std::isfinite(traits.omega))
    text += "; relative variance " + significant(traits.omega_typical, 3) + " on Gaussian data, " +
            significant(traits.omega, 3) + " at worst";
  if (traits.contraction) text += "; contracts by " + significant(*traits.contraction, 3);
  if (traits.absolute_error_per_coordinate)
    text +=
        "; error at most " + significant(*traits.absolute_error_per_coordinate, 3) + " a coordinate (rms)";
  if (plan.omega_limit)
    text += "; " + plan.method->name + " tolerates " + significant(*plan.omega_limit, 3) + " here";
  return text;
}

std::string traffic_text(const Plan& plan) {
  const std::vector<double> bytes = plan.bytes_per_iteration();
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  std::string text = plan.traffic.exact ? "" : "at most ";
  if (*least == *most)
    text += bytes_text(*least) + " bytes a peer";
  else
    text += bytes_text(*least) + " to " + bytes_text(*most) + " bytes a peer, mean " +
            bytes_text(plan.mean_bytes_per_iteration());
  return text + (plan.traffic.steady ? "" : ", averaged over the iterations");
}

std::string as_text(const std::string& name, const Plan& plan) {
  using enum Table::Align;
  const RunSettings& settings = plan.settings;
  Table table({{"", left}, {"", left}});
  table.add({"run", name});
  table.add({"method", plan.method->name + "   " + plan.method->equation});
  table.add({"", plan.method->source});
  table.add({"compressor", compressor_text(plan)});
  table.add({"its error", error_text(plan)});
  if (const auto bits = least_bits_per_coordinate(plan.traits))
    table.add({"", "no compressor of that worst error takes less than " + significant(*bits, 3) +
                       " bits per coordinate (rate-distortion)"});
  if (plan.method->feeds_back) table.add({"feedback", settings.algorithm.feedback});
  table.add({"model", settings.model.kind + ", " + counted(plan.dimension, "parameter") + ", " +
                          (settings.run.scalar == ScalarKind::float32 ? "float" : "double")});
  table.add({"data", settings.data.source + ", " + settings.data.partition});
  table.add({"topology",
             (settings.topology.file.empty() ? settings.topology.kind : settings.topology.file.string()) +
                 ", " + counted(plan.peers, "peer") + ", " +
                 (plan.period == 1
                      ? plan.weights + " weights, spectral gap " + significant(plan.spectrum.spectral_gap)
                      : settings.topology.schedule + ", period " + grouped(plan.period))});
  table.add({"network", network_text(settings)});
  table.add({"a gradient", compute_text(plan)});
  table.add({"iterations",
             grouped(plan.iterations) +
                 (settings.run.target_loss ? " at most, target loss " + significant(*settings.run.target_loss)
                                           : "")});
  const std::string of_what =
      plan.traffic.exact ? "" : ", if messages stay as long as in the first iterations";
  table.add({"an iteration", traffic_text(plan)});
  table.add({"", seconds_text(plan.time.per_iteration) + " predicted" + of_what});
  const double total = static_cast<double>(plan.traffic.total_bytes());
  table.add({"the whole run", (plan.traffic.exact ? "" : "at most ") + megabytes_text(total / plan.peers) +
                                  " a peer, " + megabytes_text(total) + " in total"});
  table.add({"", seconds_text(plan.time.total) + " predicted" + of_what});
  for (const std::string& warning : plan.warnings) table.add({"warning", warning});
  return table.text();
}

}  // namespace

int check_command(const RunFileOptions& options) {
  const Sweep sweep = load_sweep(options.file, options.assignments);
  const bool several = sweep.points.size() > 1;
  int code = exit_done;
  for (const SweepPoint& point : sweep.points) {
    const std::string name = several ? label_of(point) : point.run.run.name;
    try {
      const Plan plan =
          with_scalar(point.run.run.scalar, [&]<class Scalar>() { return plan_of<Scalar>(point.run); });
      if (options.json)
        std::printf("%s\n", json_text(as_json(name, plan)).c_str());
      else
        std::printf("%s%s", &point == &sweep.points.front() ? "" : "\n", as_text(name, plan).c_str());
    } catch (const Misuse& misuse) {
      if (!several) throw;
      std::fflush(stdout);
      std::fprintf(stderr, "hearsay: %s: %s\n", name.c_str(), misuse.what());
      code = exit_misuse;
    }
  }
  return code;
}

}  // namespace hearsay
