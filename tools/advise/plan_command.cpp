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

}  // namespace

template <class Scalar>
PlanAnswer answer_plan(const RunSettings& yours, const PlanQuestion& question) {
  using Align = Table::Align;
  const Experiment<Scalar> experiment = prepare<Scalar>(for_gen_qsgd(yours));
  if (!is_star_around_hub(experiment.topology.graph))
    throw Misuse("topology.kind", experiment.settings.topology.kind,
                 "the plan is for a hub that hears every worker itself, with one quantization each way; "
                 "expected \"star\"");
  const Problem<Scalar>& data = experiment.problem;
  const RunSettings& settings = experiment.settings;
  const Duration measured_gradient = measured_gradient_of(experiment);

  Index smallest_shard = std::numeric_limits<Index>::max();
  planner::PlanProblem problem;
  for (const auto& objective : data.objectives)
    if (objective->has_data() && objective->sample_count() > 0)
      smallest_shard = std::min(smallest_shard, objective->sample_count());
  if (smallest_shard == std::numeric_limits<Index>::max()) smallest_shard = 1;  // objectives of no samples
  const Index batch = settings.algorithm.batch
                          ? std::min<Index>(static_cast<Index>(*settings.algorithm.batch), smallest_shard)
                          : smallest_shard;
  const auto batch_size = static_cast<double>(settings.algorithm.batch.value_or(
      static_cast<std::uint64_t>(smallest_shard)));  // whose gradient takes network.compute
  const ProblemConstants measured = measure_for_plan(data, settings, batch);
  if (!(measured.smoothness > 0.0))
    throw Misuse("algorithm.step_size", significant(settings.algorithm.step_size),
                 "20 steps of it show no change of the gradient; expected a larger one, or a smaller one if "
                 "they diverge");

  const MessageBytes frames = message_bytes(experiment);
  const MessageBytes bytes = frames.on_wire(settings.framing);
  const double down_q = relative_variance(experiment, settings.algorithm.options[option::down_compressor]);
  const double up_q = relative_variance(experiment, settings.algorithm.compressor);
  for (std::size_t peer = 0; peer < data.peer_count(); ++peer) {
    if (!data.objectives[peer]->has_data()) continue;
    const NetworkSettings& network = network_of(settings, static_cast<PeerId>(peer));
    planner::Worker worker;
    // A gradient that costs nothing would make the best batch infinite.
    worker.seconds_per_sample =
        std::max(1e-9, gradient_seconds(network.compute, measured_gradient) / batch_size);
    worker.q = up_q;
    worker.joules_per_sample = question.joules_per_core_second * worker.seconds_per_sample;
    if (peer != hub_id) worker.joules_per_message = question.joules_per_byte * static_cast<double>(bytes.up);
    problem.workers.push_back(worker);
  }
  const double remote = static_cast<double>(experiment.peer_count()) - 1.0;
  problem.hub.q = down_q;
  problem.hub.joules_down = remote * question.joules_per_byte * static_cast<double>(bytes.down);
  add_network(experiment, frames, problem);
  problem.smoothness = measured.smoothness;
  problem.variance = measured.variance;
  problem.gradient_square = measured.gradient_square;
  problem.gap = measured.first_loss - question.least_loss;
  if (!(problem.gap > 0.0))
    throw Misuse("--least-loss", significant(question.least_loss),
                 "expected less than the loss of the start, " + significant(measured.first_loss));
  problem.most_error = wanted_error(yours, question, measured);
  if (question.within) problem.most_time = seconds(*question.within);
  problem.most_batch = static_cast<double>(smallest_shard);
  problem.objective = question.objective;

  const std::optional<planner::Plan> plan = planner::plan(problem);
  if (!plan)
    throw Misuse("--within", question.within ? to_text(*question.within) : "not given",
                 "no plan was found whose bound is at most " + significant(problem.most_error) +
                     " in that time; expected more time, or a larger error");

  const double round_bytes = remote * static_cast<double>(bytes.up + bytes.down);
  Table table({{"", Align::left},
               {"rounds", Align::right},
               {"local steps", Align::right},
               {"batch", Align::right},
               {"step size", Align::right},
               {"time", Align::right},
               {"Mbit", Align::right},
               {"bound", Align::right},
               {"loss", Align::right}});
  table.add(row("planned", problem, *plan, round_bytes));
  PlanAnswer answer;
  answer.record = {{"planned", plan_record(problem, *plan, round_bytes)},
                   {"best_of_a_grid", nullptr},
                   {"simulated", nullptr},
                   {"measured",
                    {{"smoothness", measured.smoothness},
                     {"variance", measured.variance},
                     {"gradient_square", measured.gradient_square},
                     {"first_loss", measured.first_loss}}},
                   {"wanted", problem.most_error},
                   {"q_up", up_q},
                   {"q_down", down_q}};
  if (const auto rival = planner::best_on_grid(problem, coarse_grid(problem, *plan))) {
    table.add(row("best of a grid", problem, *rival, round_bytes));
    answer.record["best_of_a_grid"] = plan_record(problem, *rival, round_bytes);
  }

  answer.run = planned_run(experiment, *plan, batch_size, measured_gradient);
  const Experiment<Scalar> planned = prepare<Scalar>(answer.run, borrowed(data));
  RunControl control;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  control.out_of_patience = [&] {
    return question.interrupted() || std::chrono::steady_clock::now() >= give_up;
  };
  const RunOutcome<Scalar> outcome = simulate(planned, Duration{0}, control);
  if (!outcome.evaluations.empty()) {
    const Evaluation& last = outcome.evaluations.back();
    table.add({outcome.status == RunStatus::target        ? "simulated, to the target"
               : outcome.status == RunStatus::interrupted ? "simulated, for a minute"
                                                          : "simulated",
               grouped(last.iteration), steps_text(plan->steps), significant(plan->batch),
               significant(plan->step_size), seconds_text(last.seconds),
               significant(8e-6 * static_cast<double>(last.bytes_sent)), "-", significant(last.loss)});
    answer.record["simulated"] = {{"status", to_text(outcome.status)},
                                  {"rounds", last.iteration},
                                  {"seconds", last.seconds},
                                  {"bytes", last.bytes_sent},
                                  {"loss", last.loss}};
  }

  Table notes({{"", Align::left}, {"", Align::left}});
  notes.add({"network", network_text(settings)});
  notes.add({"measured", "L " + significant(measured.smoothness) + ", sigma^2 " +
                             significant(measured.variance) + ", G^2 " +
                             significant(measured.gradient_square) + ", loss at the start " +
                             significant(measured.first_loss)});
  notes.add({"wanted", "mean |grad f|^2 <= " + significant(problem.most_error) +
                           (question.error ? " (--error)" : ", from run.target_loss")});
  notes.add({"quantizers", "q up " + significant(up_q) + ", down " + significant(down_q)});
  answer.text =
      notes.text() + "\n" + table.text() +
      (outcome.status == RunStatus::target
           ? "\nthe bound is a worst case: real runs need far fewer rounds, which the last row shows\n"
           : "\nthe bound is a worst case; the simulation ended before the target\n");
  return answer;
}

template PlanAnswer answer_plan<float>(const RunSettings&, const PlanQuestion&);
template PlanAnswer answer_plan<double>(const RunSettings&, const PlanQuestion&);

}  // namespace hearsay
