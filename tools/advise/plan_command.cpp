#include "tools/advise/plan_command.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/network/link.hpp"
#include "runtime/network/message_time.hpp"
#include "runtime/record/json.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/wire/frame.hpp"
#include "tools/advise/plan_probe.hpp"
#include "tools/advise/probe_problem.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/network_text.hpp"
#include "tools/terminal/table.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

namespace planner = gen_qsgd;

/// Bytes of a message: header and payload.
struct MessageBytes {
  std::uint64_t up, down;

  MessageBytes on_wire(Framing framing) const { return {wire_bytes(framing, up), wire_bytes(framing, down)}; }
};

template <class Scalar>
MessageBytes message_bytes(const Experiment<Scalar>& experiment) {
  const auto frame_bytes = [&](const std::string& spelling) {
    const auto compressor =
        make_compressor<Scalar>(spelling, experiment.problem.objectives.front()->segments());
    const Traits traits = compressor->traits(static_cast<std::size_t>(experiment.problem.dimension()));
    return header_bytes + traits.bytes;
  };
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  return {frame_bytes(algorithm.compressor), frame_bytes(algorithm.options[option::down_compressor])};
}

/// q of a compressor: E |C(z) - z|^2 <= q |z|^2 for all z.
template <class Scalar>
double relative_variance(const Experiment<Scalar>& experiment, const std::string& spelling) {
  const auto compressor =
      make_compressor<Scalar>(spelling, experiment.problem.objectives.front()->segments());
  const double q = compressor->traits(static_cast<std::size_t>(experiment.problem.dimension())).omega;
  if (!std::isfinite(q))
    throw Misuse("algorithm.compressor", spelling,
                 "its error is not bounded by the message, so there is no plan; expected one such as "
                 "dither(linf, levels=7, bucket=512)");
  return q;
}

/// Fills in the seconds of the messages of a round. The hub's port sends r messages one after the other, and
/// takes r answers so. Where both take the hub's time, they overlap: worker k computes while k + 1 is still
/// being told. With tau the time of one message at that port, the last answer is there after
///
///     r max(tau_down, tau_up) + min(tau_down, tau_up) + computing + latencies
///
/// exactly so if workers are alike; an upper bound else. Without jitter and losses.
template <class Scalar>
void add_network(const Experiment<Scalar>& experiment, MessageBytes frames, planner::PlanProblem& problem) {
  const RunSettings& settings = experiment.settings;
  const double tau_down = seconds(sending_time(settings, hub_id, frames.down));
  const double tau_up = seconds(receiving_time(settings, hub_id, frames.up));
  const double queue = static_cast<double>(experiment.peer_count()) - 2.0;  // messages before the last one
  double down = 0.0;
  std::size_t worker = 0;
  for (PeerId peer = 0; peer < experiment.peer_count(); ++peer) {
    if (!experiment.problem.objectives[peer]->has_data()) continue;
    planner::Worker& planned = problem.workers[worker++];
    if (peer == hub_id) continue;  // it sends nothing to itself
    down = std::max(down, seconds(message_time(settings, hub_id, peer, frames.down)));
    planned.seconds_up =
        seconds(message_time(settings, peer, hub_id, frames.up)) + (tau_up > tau_down ? queue * tau_up : 0.0);
  }
  problem.hub.seconds_down = down + (tau_up > tau_down ? 0.0 : queue * tau_down);
}

/// Mean seconds of a gradient of the run's own batch.
double gradient_seconds(const ComputeTime& compute, Duration measured) {
  switch (compute.kind) {
    case ComputeTime::Kind::measured:
      return seconds(measured);
    case ComputeTime::Kind::constant:
      return seconds(compute.median);
    case ComputeTime::Kind::lognormal:
      return seconds(compute.median) * std::exp(0.5 * compute.sigma * compute.sigma);
  }
  return 0.0;
}

/// C_max: that of the squared gradient at the target, if it falls as the loss does (as on a quadratic). The
/// bound is of gradients, and no constant tells a loss from them.
double wanted_error(const RunSettings& yours, const PlanQuestion& question,
                    const ProblemConstants& measured) {
  if (question.error) return *question.error;
  if (!yours.run.target_loss)
    throw Misuse("run.target_loss", "not given",
                 "a plan wants to know how far to go; expected a target loss, or --error");
  const double way = measured.first_loss - question.least_loss;
  const double left = *yours.run.target_loss - question.least_loss;
  if (!(left > 0.0) || !(left < way))
    throw Misuse("run.target_loss", significant(*yours.run.target_loss),
                 "expected a loss between the least one, " + significant(question.least_loss) +
                     " (--least-loss), and that of the start, " + significant(measured.first_loss));
  return measured.first_square * left / way;
}

std::string steps_text(const std::vector<double>& steps) {
  const auto [least, most] = std::ranges::minmax(steps);
  return significant(least) + (least < most ? " to " + significant(most) : "");
}

/// A coarse grid of common K, B, K_0 and gamma, for comparison.
planner::Grid coarse_grid(const planner::PlanProblem& problem, const planner::Plan& plan) {
  planner::Grid grid;
  const auto powers = [](double most) {
    std::vector<double> numbers;
    for (double number = 1.0; number <= most; number *= 2.0) numbers.push_back(number);
    return numbers;
  };
  grid.rounds = powers(8.0 * plan.rounds);
  grid.batches = powers(std::min(problem.most_batch.value_or(1e6), 64.0 * plan.batch));
  for (const double steps : powers(1024.0)) grid.steps.emplace_back(problem.workers.size(), steps);
  for (const double gamma : powers(1e6)) grid.step_sizes.push_back(1.0 / (problem.smoothness * gamma));
  return grid;
}

/// Scales the time of a gradient to another batch. An emulated time is that of a batch of the run file.
void scale_compute(NetworkSettings& network, double factor, Duration measured) {
  if (network.compute.kind == ComputeTime::Kind::measured)
    network.compute = {ComputeTime::Kind::constant, measured, 0.0};
  network.compute.median =
      Duration{std::llround(factor * static_cast<double>(network.compute.median.count()))};
}

template <class Scalar>
RunSettings planned_run(const Experiment<Scalar>& experiment, const planner::Plan& plan, double batch,
                        Duration measured) {
  RunSettings run = experiment.settings;
  run.algorithm.batch = static_cast<std::uint64_t>(plan.batch);
  run.algorithm.step_size = plan.step_size;
  run.algorithm.step_schedule = "constant";
  run.algorithm.warm_up = 0;
  run.run.epochs = std::nullopt;
  run.run.iterations = static_cast<std::uint64_t>(plan.rounds);
  run.run.evaluate_after(std::max<std::uint64_t>(1, run.run.iterations / 200));
  std::string list;
  for (const double steps : plan.steps)
    list += (list.empty() ? "" : ", ") + std::to_string(static_cast<std::uint64_t>(steps));
  run.algorithm.options.clear(option::local_steps);
  run.algorithm.options.set(option::worker_steps, list);
  scale_compute(run.network, plan.batch / batch, measured);
  for (auto& [peer, network] : run.peer_networks) scale_compute(network, plan.batch / batch, measured);
  return run;
}

std::vector<std::string> row(const std::string& name, const planner::PlanProblem& problem,
                             const planner::Plan& plan, double round_bytes) {
  return {name,
          grouped(static_cast<std::uint64_t>(plan.rounds)),
          steps_text(plan.steps),
          significant(plan.batch),
          significant(plan.step_size),
          seconds_text(planner::seconds(problem, plan)),
          significant(8e-6 * round_bytes * plan.rounds),
          significant(planner::bound(problem, plan)),
          "-"};
}

nlohmann::ordered_json plan_record(const planner::PlanProblem& problem, const planner::Plan& plan,
                                   double round_bytes) {
  return {{"rounds", plan.rounds},
          {"local_steps", plan.steps},
          {"batch", plan.batch},
          {"step_size", plan.step_size},
          {"seconds", planner::seconds(problem, plan)},
          {"bytes", round_bytes * plan.rounds},
          {"bound", planner::bound(problem, plan)}};
}

RunSettings for_gen_qsgd(RunSettings settings) {
  const MethodInfo& method = find_method("gen-qsgd");
  if (settings.algorithm.kind != method.name) {
    settings.algorithm.kind = method.name;
    settings.algorithm.compressor = method.default_compressor;
    settings.algorithm.options = {};
    if (settings.topology.file.empty()) settings.topology.kind = "star";
  }
  if (settings.topology.file.empty() && settings.topology.peers < 2)
    throw Misuse("topology.peers", std::to_string(settings.topology.peers),
                 "a plan is for a hub and workers; expected at least 2");
  settings.topology.schedule = "static";
  settings.algorithm.clip = std::nullopt;
  if (settings.topology.participation < 1.0)
    throw Misuse("topology.participation", significant(settings.topology.participation),
                 "the plan is for rounds in which all workers take part; expected 1");
  return settings;
}

/// Returns the experiment that is planned: gen-qsgd on a star.
template <class Scalar>
Experiment<Scalar> prepare_star(const RunSettings& yours) {
  Experiment<Scalar> experiment = prepare<Scalar>(for_gen_qsgd(yours));
  if (!is_star_around_hub(experiment.topology.graph))
    throw Misuse("topology.kind", experiment.settings.topology.kind,
                 "the plan is for a hub that hears every worker itself, with one quantization each way; "
                 "expected \"star\"");
  return experiment;
}

/// The samples of the worker with the fewest; 1 if objectives have none.
template <class Scalar>
Index smallest_shard_of(const Problem<Scalar>& data) {
  Index smallest = std::numeric_limits<Index>::max();
  for (const auto& objective : data.objectives)
    if (objective->has_data() && objective->sample_count() > 0)
      smallest = std::min(smallest, objective->sample_count());
  return smallest == std::numeric_limits<Index>::max() ? 1 : smallest;
}

/// Plans a run, and tells of the plan.
template <class Scalar>
class Planning {
 public:
  Planning(const RunSettings& yours, const PlanQuestion& question)
      : question_(question),
        experiment_(prepare_star<Scalar>(yours)),
        gradient_(measured_gradient_of(experiment_)),
        smallest_shard_(smallest_shard_of(experiment_.problem)) {
    measure();
    add_workers_and_hub();
    add_bounds(yours);
  }

  PlanAnswer answer() {
    const planner::Plan plan = found_plan();
    PlanAnswer answer;
    answer.run = planned_run(experiment_, plan, batch_size_, gradient_);
    answer.record = first_record(plan);
    Table table = empty_table();
    table.add(row("planned", problem_, plan, round_bytes()));
    add_rival(plan, table, answer.record);
    const RunStatus end = add_simulation(plan, answer.run, table, answer.record);
    answer.text =
        notes() + "\n" + table.text() +
        (end == RunStatus::target
             ? "\nthe bound is a worst case: real runs need far fewer rounds, which the last row shows\n"
             : "\nthe bound is a worst case; the simulation ended before the target\n");
    return answer;
  }

 private:
  const RunSettings& settings() const { return experiment_.settings; }
  double remote_workers() const { return static_cast<double>(experiment_.peer_count()) - 1.0; }
  double round_bytes() const { return remote_workers() * static_cast<double>(bytes_.up + bytes_.down); }

  void measure() {
    const auto all = static_cast<std::uint64_t>(smallest_shard_);
    const std::uint64_t batch = settings().algorithm.batch.value_or(all);
    batch_size_ = static_cast<double>(batch);
    const auto measured_batch = std::min<Index>(static_cast<Index>(batch), smallest_shard_);
    measured_ = measure_for_plan(experiment_.problem, settings(), measured_batch);
    if (!(measured_.smoothness > 0.0))
      throw Misuse("algorithm.step_size", significant(settings().algorithm.step_size),
                   "20 steps of it show no change of the gradient; expected a larger one, or a smaller one "
                   "if they diverge");
  }

  void add_workers_and_hub() {
    const MessageBytes frames = message_bytes(experiment_);
    bytes_ = frames.on_wire(settings().framing);
    const RunSettings::Algorithm& algorithm = settings().algorithm;
    problem_.hub.q = relative_variance(experiment_, algorithm.options[option::down_compressor]);
    up_q_ = relative_variance(experiment_, algorithm.compressor);
    for (PeerId peer = 0; peer < experiment_.peer_count(); ++peer)
      if (experiment_.problem.objectives[peer]->has_data()) problem_.workers.push_back(worker(peer));
    problem_.hub.joules_down =
        remote_workers() * question_.joules_per_byte * static_cast<double>(bytes_.down);
    add_network(experiment_, frames, problem_);
  }

  /// A worker without its times on the network.
  planner::Worker worker(PeerId peer) const {
    planner::Worker worker;
    // A gradient that costs nothing would make the best batch infinite.
    worker.seconds_per_sample =
        std::max(1e-9, gradient_seconds(network_of(settings(), peer).compute, gradient_) / batch_size_);
    worker.q = up_q_;
    worker.joules_per_sample = question_.joules_per_core_second * worker.seconds_per_sample;
    if (peer != hub_id)
      worker.joules_per_message = question_.joules_per_byte * static_cast<double>(bytes_.up);
    return worker;
  }

  void add_bounds(const RunSettings& yours) {
    problem_.smoothness = measured_.smoothness;
    problem_.variance = measured_.variance;
    problem_.gradient_square = measured_.gradient_square;
    problem_.gap = measured_.first_loss - question_.least_loss;
    if (!(problem_.gap > 0.0))
      throw Misuse("--least-loss", significant(question_.least_loss),
                   "expected less than the loss of the start, " + significant(measured_.first_loss));
    problem_.most_error = wanted_error(yours, question_, measured_);
    if (question_.within) problem_.most_time = seconds(*question_.within);
    problem_.most_batch = static_cast<double>(smallest_shard_);
    problem_.objective = question_.objective;
  }

  planner::Plan found_plan() const {
    std::optional<planner::Plan> plan = planner::plan(problem_);
    if (!plan)
      throw Misuse("--within", question_.within ? to_text(*question_.within) : "not given",
                   "no plan was found whose bound is at most " + significant(problem_.most_error) +
                       " in that time; expected more time, or a larger error");
    return *std::move(plan);
  }

  nlohmann::ordered_json first_record(const planner::Plan& plan) const {
    return {{"planned", plan_record(problem_, plan, round_bytes())},
            {"best_of_a_grid", nullptr},
            {"simulated", nullptr},
            {"measured",
             {{"smoothness", measured_.smoothness},
              {"variance", measured_.variance},
              {"gradient_square", measured_.gradient_square},
              {"first_loss", measured_.first_loss}}},
            {"wanted", problem_.most_error},
            {"q_up", up_q_},
            {"q_down", problem_.hub.q}};
  }

  static Table empty_table() {
    using Align = Table::Align;
    return Table({{"", Align::left},
                  {"rounds", Align::right},
                  {"local steps", Align::right},
                  {"batch", Align::right},
                  {"step size", Align::right},
                  {"time", Align::right},
                  {"Mbit", Align::right},
                  {"bound", Align::right},
                  {"loss", Align::right}});
  }

  void add_rival(const planner::Plan& plan, Table& table, nlohmann::ordered_json& record) const {
    const auto rival = planner::best_on_grid(problem_, coarse_grid(problem_, plan));
    if (!rival) return;
    table.add(row("best of a grid", problem_, *rival, round_bytes()));
    record["best_of_a_grid"] = plan_record(problem_, *rival, round_bytes());
  }

  /// Simulates the planned run, for a minute at most. Returns how it ended.
  RunStatus add_simulation(const planner::Plan& plan, const RunSettings& run, Table& table,
                           nlohmann::ordered_json& record) const {
    const Experiment<Scalar> planned = prepare<Scalar>(run, borrowed(experiment_.problem));
    RunControl control;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    control.out_of_patience = [&] {
      return question_.interrupted() || std::chrono::steady_clock::now() >= give_up;
    };
    const RunOutcome<Scalar> outcome = simulate(planned, Duration{0}, control);
    if (outcome.evaluations.empty()) return outcome.status;
    const Evaluation& last = outcome.evaluations.back();
    table.add({outcome.status == RunStatus::target        ? "simulated, to the target"
               : outcome.status == RunStatus::interrupted ? "simulated, for a minute"
                                                          : "simulated",
               grouped(last.iteration), steps_text(plan.steps), significant(plan.batch),
               significant(plan.step_size), seconds_text(last.seconds),
               significant(8e-6 * static_cast<double>(last.bytes_sent)), "-", significant(last.loss)});
    record["simulated"] = {{"status", to_text(outcome.status)},
                           {"rounds", last.iteration},
                           {"seconds", last.seconds},
                           {"bytes", last.bytes_sent},
                           {"loss", last.loss}};
    return outcome.status;
  }

  /// On what the plan rests.
  std::string notes() const {
    Table notes({{"", Table::Align::left}, {"", Table::Align::left}});
    notes.add({"network", network_text(settings())});
    notes.add({"measured", "L " + significant(measured_.smoothness) + ", sigma^2 " +
                               significant(measured_.variance) + ", G^2 " +
                               significant(measured_.gradient_square) + ", loss at the start " +
                               significant(measured_.first_loss)});
    notes.add({"wanted", "mean |grad f|^2 <= " + significant(problem_.most_error) +
                             (question_.error ? " (--error)" : ", from run.target_loss")});
    notes.add({"quantizers", "q up " + significant(up_q_) + ", down " + significant(problem_.hub.q)});
    return notes.text();
  }

  const PlanQuestion& question_;
  Experiment<Scalar> experiment_;
  Duration gradient_;  // measured
  Index smallest_shard_;
  double batch_size_ = 0.0;  // whose gradient takes network.compute
  ProblemConstants measured_ = {};
  MessageBytes bytes_ = {};  // on the wire
  double up_q_ = 0.0;
  planner::PlanProblem problem_;
};

}  // namespace

template <class Scalar>
PlanAnswer answer_plan(const RunSettings& yours, const PlanQuestion& question) {
  return Planning<Scalar>(yours, question).answer();
}

template PlanAnswer answer_plan<float>(const RunSettings&, const PlanQuestion&);
template PlanAnswer answer_plan<double>(const RunSettings&, const PlanQuestion&);

}  // namespace hearsay
