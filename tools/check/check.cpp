#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <thread>

#include "algorithms/compression/rate_distortion.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/stability/mixing_need.hpp"
#include "algorithms/stability/outer_gossip_limit.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/process/freed_pages.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/session/arrival_deadline.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/simulator/sized_run.hpp"
#include "tools/check/check_connections.hpp"
#include "tools/check/dry_run.hpp"
#include "tools/check/evaluation_time.hpp"
#include "tools/check/failure_text.hpp"
#include "tools/check/measure_network.hpp"
#include "tools/check/plan.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/empty_run_file.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/network_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/options_json.hpp"
#include "tools/terminal/table.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

/// The least, the most and the mean of the bytes of the peers.
struct Spread {
  explicit Spread(const std::vector<double>& values)
      : least(std::ranges::min(values)),
        most(std::ranges::max(values)),
        mean(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())) {}

  double least;
  double most;
  double mean;
};

bool has_hub_port(const Plan& plan) { return plan.method->pattern.has_hub && plan.peers > 1; }

Json finite_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

/// Returns what passes through the hub's port in an iteration; null without a hub, or without a port.
Json hub_port_json(const Plan& plan) {
  if (!has_hub_port(plan)) return nullptr;
  const PortTraffic to = plan.to_workers();
  const PortTraffic from = plan.from_workers();
  const HubPort port = hub_port_of(plan.settings, to, from);
  return {{"bytes_to_workers", to.bytes},
          {"bytes_from_workers", from.bytes},
          {"seconds_to_workers", finite_or_null(port.seconds_to_workers)},
          {"seconds_from_workers", finite_or_null(port.seconds_from_workers)}};
}

/// Returns the times of both ways of an all-reduce; null if there is none, or nobody to sum with.
Json reduce_json(const Plan& plan) {
  if (!plan.reduce_times || plan.peers < 2) return nullptr;
  return {{"ring", plan.reduce_times->ring}, {"doubling", plan.reduce_times->doubling}};
}

/// Returns the share of the time that each peer is there; null without topology.availability.
Json availability_json(const RunSettings& settings) {
  if (settings.availability.empty()) return nullptr;
  Json shares = Json::array();
  for (const Availability& peer : settings.availability) shares.push_back(peer.share());
  return shares;
}

Json as_json(const std::string& name, const Plan& plan) {
  const auto spread_of = [](const std::vector<double>& bytes) {
    const Spread spread(bytes);
    return Json{{"min", spread.least}, {"mean", spread.mean}, {"max", spread.most}};
  };
  Json totals = Json::array();
  for (const PeerTraffic& peer : plan.traffic.peers) totals.push_back(peer.bytes);
  return {
      {"run", name},
      {"algorithm", plan.method->name},
      {"compressor", plan.settings.algorithm.compressor},
      {"options", options_json(plan.settings.algorithm.options)},
      {"reduce_seconds", reduce_json(plan)},
      {"unbiased", plan.traits.unbiased},
      {"omega_worst", finite_or_null(plan.traits.omega)},
      {"omega_typical", finite_or_null(plan.traits.omega_typical)},
      {"omega_limit", finite_or_null(plan.omega_limit)},
      {"contraction", finite_or_null(plan.traits.contraction)},
      {"consensus_step_limit",
       plan.consensus_step_limit ? Json(plan.consensus_step_limit->typical) : Json(nullptr)},
      {"consensus_step_limit_worst",
       plan.consensus_step_limit ? finite_or_null(plan.consensus_step_limit->worst) : Json(nullptr)},
      {"gradient_table_bytes", plan.gradient_table_bytes},
      {"bits_per_coordinate", plan.bits_per_coordinate()},
      {"predicted_bits_per_coordinate", plan.predicted_bits_per_coordinate()},
      {"least_bits_per_coordinate", finite_or_null(least_bits_per_coordinate(plan.traits))},
      {"rate_line", json_of(plan.rate_line)},
      {"dimension", plan.dimension},
      {"scalar", plan.settings.run.scalar == ScalarKind::float32 ? "float" : "double"},
      {"iterations", plan.iterations},
      {"peers", plan.peers},
      {"weights", plan.weights},
      {"spectral_gap", plan.spectrum ? Json(plan.spectrum->spectral_gap) : Json(nullptr)},
      {"smallest_eigenvalue", plan.spectrum ? Json(plan.spectrum->smallest) : Json(nullptr)},
      {"asynchronous", plan.method->asynchronous},
      {"transport", to_text(plan.transport)},
      {"congestion", plan.transport == Transport::tcp
                         ? Json(congestion_here(plan.settings.congestion, !plan.settings.pace.unlimited()))
                         : Json(nullptr)},
      {"bytes_exact", plan.traffic.exact},
      {"bytes_per_iteration", spread_of(plan.bytes_per_iteration())},
      {"predicted_bytes_per_iteration", spread_of(plan.predicted_bytes_per_iteration())},
      {"hub_port", hub_port_json(plan)},
      {"bytes_to_standby", plan.settings.failure.hub_standby ? Json(plan.copied_bytes()) : Json(nullptr)},
      {"bits_per_parameter_and_gradient", plan.predicted_bits_per_parameter_and_gradient()},
      {"bytes_per_peer", std::move(totals)},
      {"bytes_sent", plan.traffic.total_bytes()},
      {"predicted_bytes_sent", plan.predicted_bytes()},
      {"seconds_per_iteration", finite_or_null(plan.dry_run.seconds_per_iteration)},
      {"seconds", finite_or_null(plan.dry_run.seconds)},
      {"computing_share", finite_or_null(plan.dry_run.computing_share)},
      {"availability", availability_json(plan.settings)},
      {"kept_model_bytes", plan.kept_model_bytes()},
      {"process_memory_bytes", std::round(plan.processes.peer)},
      {"restored_process_memory_bytes",
       plan.processes.restored_peer > 0.0 ? Json(std::round(plan.processes.restored_peer)) : Json(nullptr)},
      {"observer_memory_bytes", std::round(plan.processes.observer)},
      {"warnings", plan.warnings}};
}

std::string bytes_text(double bytes) {
  return bytes == std::floor(bytes) ? grouped(static_cast<std::uint64_t>(bytes)) : fixed(bytes, 1);
}

std::string early_end_text(const RunSettings::Run& run) {
  if (!run.may_end_early()) return "";
  const std::string at_target = run.target_loss ? " at a loss of " + significant(*run.target_loss) : "";
  const std::string at_plateau = run.patience
                                     ? " after " + counted(*run.patience, "evaluation") +
                                           (*run.patience == 1 ? "" : " in a row") + " without a better one"
                                     : "";
  return " at most; it ends" + at_target + (run.target_loss && run.patience ? ", or" : "") + at_plateau;
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
  if (plan.dry_run.too_large) return "measured in the run";
  return seconds_text(seconds(plan.dry_run.gradient)) + ", measured here";
}

std::string compressor_text(const Plan& plan) {
  const std::string most = significant(plan.bits_per_coordinate(), 3);
  return plan.settings.algorithm.compressor + "   " +
         (plan.traits.data_dependent_size ? "about " + significant(plan.predicted_bits_per_coordinate(), 3) +
                                                " bits per coordinate, at most " + most
                                          : most + " bits per coordinate");
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
  if (traits.reach) text += "; read near models within " + significant(*traits.reach, 3) + " a coordinate";
  if (plan.omega_limit)
    text += "; " + plan.method->name + " tolerates " + significant(*plan.omega_limit, 3) + " here";
  return text;
}

/// Returns what stands behind the consensus step: its limit.
std::string stability_text(const Plan& plan) {
  const std::optional<ConsensusStepLimit>& limit = plan.consensus_step_limit;
  if (!limit) return "";
  const auto below = [](double step) { return step > 0.0 ? "below " + significant(step, 3) : "nowhere"; };
  const bool differ = limit->worst && *limit->worst != limit->typical;
  return "   predicted stable " + below(limit->typical) + (differ ? " with Gaussian differences, " : "") +
         (differ ? below(*limit->worst) + " in the worst case" : "");
}

/// Returns what stands behind the estimator: the memory of its table.
std::string table_text(const Plan& plan) {
  if (plan.gradient_table_bytes == 0) return "";
  const auto bytes = static_cast<double>(plan.gradient_table_bytes);
  return "   keeps a gradient of every sample: " + megabytes_text(bytes) + " at all peers together";
}

/// Returns what stands behind the way of the all-reduce: the times of both.
std::string reduce_text(const Plan& plan) {
  if (!plan.reduce_times || plan.peers < 2) return "";
  return "   messages of an iteration take " + seconds_text(plan.reduce_times->ring) + " round the ring, " +
         seconds_text(plan.reduce_times->doubling) + " by doubling";
}

std::string spread_text(const Spread& bytes) {
  if (bytes.least == bytes.most) return bytes_text(bytes.least) + " bytes a peer";
  return bytes_text(bytes.least) + " to " + bytes_text(bytes.most) + " bytes a peer, mean " +
         bytes_text(bytes.mean);
}

/// Returns who takes part in a round of a method with a hub, and how.
std::string hub_text(const Plan& plan) {
  const TopologySettings& topology = plan.settings.topology;
  const PeerId workers = topology.workers();
  const auto groups = std::ranges::count_if(plan.groups, [](const auto& group) { return group.second > 0; });
  std::string text = topology.hub == HubData::none ? "peer 0 is the hub, without data"
                                                   : "peer 0 is the hub and a worker, too";
  if (groups > 0)
    text += "; " + counted(static_cast<std::uint64_t>(groups), "peer") + " linked with it " +
            (groups == 1 ? "answers for a group" : "answer for groups");
  if (plan.answering < workers)
    text += "; " + grouped(plan.answering) + " of " + counted(workers, "worker") + " answer in a round";
  if (topology.rounds_close())
    text += "; a round ends after " + to_text(topology.round_deadline) +
            ", of the real clock in a run, of the emulated one in a simulation";
  return text + " (topology.weights is not read)";
}

std::string mixing_text(const Plan& plan) {
  const TopologySettings& topology = plan.settings.topology;
  if (plan.method->pattern.has_hub) return hub_text(plan);
  if (plan.method->asynchronous) return "neighbors average in pairs (topology.weights is not read)";
  if (plan.period != 1)
    return topology.schedule +
           (topology.participation < 1.0 ? ", participation " + significant(topology.participation) : "") +
           (plan.period ? ", period " + grouped(*plan.period) : ", drawn anew for every round");
  if (!plan.spectrum) return plan.weights + " links";
  std::string text = plan.weights + " weights, spectral gap " + significant(plan.spectrum->spectral_gap);
  if (const double limit = smallest_eigenvalue_needed(*plan.method, plan.settings.algorithm.options);
      limit > -1.0)
    text += ", smallest eigenvalue " + significant(plan.spectrum->smallest, 3) + " (" + plan.method->name +
            " needs one " + range_of_eigenvalues(limit) + ")";
  return text;
}

std::string traffic_text(const Plan& plan) {
  const Spread most(plan.bytes_per_iteration());
  if (!plan.traffic.exact)
    return "about " + bytes_text(std::round(Spread(plan.predicted_bytes_per_iteration()).mean)) +
           " bytes a peer, at most " + bytes_text(std::round(most.mean));
  return spread_text(most) + (plan.traffic.steady ? "" : ", averaged over the iterations");
}

/// Returns what passes through the port of the hub, which is that of all workers together.
std::string hub_port_text(const Plan& plan) {
  const PortTraffic to = plan.to_workers();
  const PortTraffic from = plan.from_workers();
  const HubPort port = hub_port_of(plan.settings, to, from);
  const std::string about = plan.traffic.exact ? "" : "about ";
  const auto time = [](const std::optional<double>& busy) {
    return busy ? " (" + seconds_text(*busy) + ")" : std::string(" (not limited)");
  };
  return "through the hub's port " + about + bytes_text(std::round(to.bytes)) + " bytes to the workers" +
         time(port.seconds_to_workers) + " and " + about + bytes_text(std::round(from.bytes)) + " from them" +
         time(port.seconds_from_workers) + ", one message after the other";
}

std::string total_text(const Plan& plan) {
  const double most = static_cast<double>(plan.traffic.total_bytes());
  const double bytes = plan.predicted_bytes();
  return (plan.traffic.exact ? "" : "about ") + megabytes_text(bytes / plan.peers) + " a peer, " +
         megabytes_text(bytes) + " in total" +
         (plan.traffic.exact ? "" : ", at most " + megabytes_text(most));
}

/// Adds what the method and its compressor are, and what they promise.
void add_method_rows(Table& table, const Plan& plan) {
  table.add({"method", plan.method->name + "   " + plan.method->equation});
  table.add({"", plan.method->source});
  if (plan.method->asynchronous)
    table.add({"", "asynchronous: peers up to " + grouped(2 * plan.settings.run.evaluate_every) +
                       " iterations apart; the same bits again in the simulator only"});
  table.add({"compressor", compressor_text(plan)});
  table.add({"its error", error_text(plan)});
  if (const auto bits = least_bits_per_coordinate(plan.traits))
    table.add({"", "no compressor of that worst error takes less than " + significant(*bits, 3) +
                       " bits per coordinate (rate-distortion)"});
  if (plan.rate_line) table.add({"", text_of(*plan.rate_line)});
  for (const MethodOptions::Entry& option : plan.settings.algorithm.options)
    table.add({option.row->name, option.text() +
                                     (option.row == &option::consensus_step ? stability_text(plan) : "") +
                                     (option.row == &option::estimator ? table_text(plan) : "") +
                                     (option.row == &option::reduce ? reduce_text(plan) : "")});
  if (plan.settings.algorithm.clip)
    table.add({"clip", significant(*plan.settings.algorithm.clip) + ", the longest gradient"});
}

/// Returns what carries the messages of real processes, and what it does with them.
std::string transport_text(Transport transport, const RunSettings& settings) {
  if (transport == Transport::ipc) return "ipc, sockets of this machine";
  const std::string& wanted = settings.congestion;
  const bool is_paced = !settings.pace.unlimited();
  const std::string here = congestion_here(wanted, is_paced);
  const std::string best = is_paced ? congestion_if_paced : congestion_between_hosts;
  const std::string text = "tcp, its congestion control: " + here;
  if (wanted == system_congestion) return text + ", what this system has";
  if (wanted != automatic_congestion) return text;
  return text + " to other hosts" +
         (here == best ? ""
                       : ", what this system has, since its kernel does not permit " + best +
                             (is_paced ? "" : " (network.pace makes up for that)")) +
         ", " + congestion_on_one_host + " on this machine";
}

/// Adds what is learned, from which data, and where: model, peers, network.
void add_world_rows(Table& table, const Plan& plan) {
  const RunSettings& settings = plan.settings;
  table.add({"model", settings.model.kind + ", " + counted(plan.dimension, "parameter") + ", " +
                          (settings.run.scalar == ScalarKind::float32 ? "float" : "double")});
  table.add({"data", has_programs(settings) ? "of the programs, at home"
                                            : settings.data.source + ", " + settings.data.partition +
                                                  (settings.data.order == RunSettings::Data::Order::shuffled
                                                       ? ", in shuffled passes"
                                                       : "")});
  table.add({"topology",
             (settings.topology.file.empty() ? settings.topology.kind : settings.topology.file.string()) +
                 ", " + counted(plan.peers, "peer") + ", " + mixing_text(plan)});
  table.add({"network", network_text(settings)});
  table.add({"transport", transport_text(plan.transport, settings)});
  if (plan.transport == Transport::tcp && !settings.pace.unlimited())
    table.add({"", "to other hosts a peer sends no faster than " + to_text(settings.pace) +
                       ", all connections together"});
  if (!settings.availability.empty()) table.add({"peers are there", availability_text(settings)});
  table.add({"a lost peer", failure_text(settings.failure, settings.topology.rounds_close())});
  if (!settings.faults.empty()) table.add({"faults", faults_text(settings.faults, plan.peers)});
}

std::string predicted_text(const Plan& plan, const std::optional<double>& seconds) {
  const std::string by_size = "; hearsay simulate with model.kind = \"size(" +
                              std::to_string(plan.dimension) + ")\" predicts times without training";
  if (plan.dry_run.given_up)
    return "not predicted: to simulate the first two iterations takes more than " +
           seconds_text(hearsay::seconds(dry_run_patience)) + " here" + by_size;
  if (plan.dry_run.too_large)
    return "not predicted: to simulate the first iterations, the models of all peers together take too much "
           "memory" +
           by_size;
  if (peers_come_and_go(plan.settings))
    return "not predicted: the first iterations say little, since peers come and go" +
           (may_be_sized(plan.settings) ? by_size : "; hearsay simulate tells");
  if (!seconds) return "not predicted: the first iterations end badly";
  return seconds_text(*seconds) + " predicted" +
         (plan.traffic.exact ? "" : ", if messages stay as long as in the first iterations");
}

/// Adds what an iteration sends, and how long it takes.
void add_iteration_rows(Table& table, const Plan& plan) {
  table.add({"an iteration", traffic_text(plan)});
  if (has_hub_port(plan)) table.add({"", hub_port_text(plan)});
  if (const auto& standby = plan.settings.failure.hub_standby)
    table.add({"", "and " + bytes_text(std::round(plan.copied_bytes())) + " bytes of copies to peer " +
                       std::to_string(*standby) + ", which stands by"});
  table.add({"", significant(plan.predicted_bits_per_parameter_and_gradient(), 3) +
                     " bits a parameter and gradient"});
  if (plan.catches_up)
    table.add(
        {"",
         "replicas catch up when neighbors meet: a message holds all that was said since they last did, or "
         "the whole vector where that is shorter"});
  table.add({"", predicted_text(plan, plan.dry_run.seconds_per_iteration) +
                     (plan.dry_run.computing_share
                          ? ", " + fixed(100.0 * *plan.dry_run.computing_share, 1) + " % of it computing"
                          : "")});
}

/// Adds what the processes take.
void add_memory_rows(Table& table, const ProcessBytes& processes) {
  table.add({"memory needed",
             megabytes_text(processes.peer) +
                 " a process, beside the program itself and the samples, which all processes share"});
  if (processes.restored_peer > processes.peer)
    table.add({"", "up to " + megabytes_text(processes.restored_peer) +
                       " of one that comes back, while it reads its checkpoint and its log"});
  table.add({"", megabytes_text(processes.observer) + " of the observer, " +
                     (processes.on_hosts ? "in the process of peer 0, beside the peer's"
                                         : "in hearsay run itself")});
}

std::string as_text(const std::string& name, const Plan& plan) {
  using enum Table::Align;
  const RunSettings& settings = plan.settings;
  Table table({{"", left}, {"", left}});
  table.add({"run", name});
  add_method_rows(table, plan);
  add_world_rows(table, plan);
  table.add({"a gradient", compute_text(plan)});
  table.add({"iterations", grouped(plan.iterations) + early_end_text(settings.run)});
  add_memory_rows(table, plan.processes);
  if (plan.kept_model_bytes() > 0.0)
    table.add({"kept models", megabytes_text(plan.kept_model_bytes()) + " on the disk"});
  add_iteration_rows(table, plan);
  const EvaluationTraffic evaluation = evaluation_traffic(settings, plan.dimension, plan.peers);
  table.add({"evaluations", evaluations_text(settings, evaluation, plan.dry_run.seconds_per_iteration)});
  table.add({"the whole run", total_text(plan)});
  table.add({"", predicted_text(plan, plan.dry_run.seconds)});
  if (plan.dry_run.seconds)
    table.add({"", "with a core for each peer (this machine has " +
                       grouped(std::max(1u, std::thread::hardware_concurrency())) +
                       "), and without evaluations"});
  for (const std::string& warning : plan.warnings) table.add({"warning", warning});
  if (const auto warning = evaluations_warning(settings, evaluation, plan.dry_run.seconds_per_iteration))
    table.add({"warning", *warning});
  return table.text();
}

int check_command(const RunFileOptions& options) {
  keep_freed_pages();  // peers are made three times: to forecast, to try, and to try for longer
  if (!options.quiet) say_if_empty(options.file);
  const Sweep sweep = load_sweep(options.file, options.assignments);
  const bool several = sweep.points.size() > 1;
  int code = exit_done;
  for (const SweepPoint& point : sweep.points) {
    if (point.repetition > 0) continue;  // another seed changes nothing here
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
      print_notice(name + ": " + misuse.what());
      code = exit_misuse;
    }
  }
  return code;
}

}  // namespace

void add_check(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("check", "validate a run file and print the plan: bytes, time, limits");
  const auto options = std::make_shared<CheckOptions>();
  add_run_file_options(command, *options);
  command.flag("--connect", options->connect,
               "test the connections of one peer to its neighbors, both ways, while they do the same");
  command.option("--id", &options->id, "which peer this is (else HEARSAY_ID or SLURM_PROCID says it)",
                 {.value_name = "K", .needs = "--connect"});
  command.option("--wait", &options->patience, "how long to wait for the others [30 s]",
                 {.value_name = "TIME", .needs = "--connect"});
  add_measure_options(command, *options);
  command.examples({"hearsay check first.toml", "hearsay check cluster-run.toml --connect --id 0",
                    "hearsay check cluster-run.toml --connect --measure --id 0"});
  command.when_chosen([options, &invocation] {
    options->stop = &invocation.stop;
    if (options->measure) invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options] {
      if (options->overwrite && !options->measure)
        throw Misuse(
            "--overwrite replaces the links file of --measure; expected --measure, or no --overwrite");
      return options->measure   ? measure_network_command(*options)
             : options->connect ? check_connections_command(*options)
                                : check_command(*options);
    };
  });
}

}  // namespace hearsay
