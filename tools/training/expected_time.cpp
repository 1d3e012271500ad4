#include "tools/training/expected_time.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/settings/link_settings.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/training/borrowed_objective.hpp"
#include "tools/training/first_iterations.hpp"

namespace hearsay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int tried_gradients = 5;

/// A message costs its sender and its receiver about this much of a core: system calls and a change of
/// threads at each end.
constexpr double core_seconds_per_message = 50e-6;

/// On an idle machine runs took 1.00 to 1.04 of what the simulator says (bench/README.md, "honest
/// emulation"). Beyond this factor something else has taken time.
constexpr double normal_factor = 1.3;
/// Below this, the start of the processes and the scheduler are all there is to see.
constexpr double normal_excess_seconds = 0.2;

/// Returns the seconds that this thread has spent on a core.
double core_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// An objective that is not evaluated: its loss is 0.
template <class Scalar>
class GradientOnly final : public BorrowedObjective<Scalar> {
 public:
  using BorrowedObjective<Scalar>::BorrowedObjective;
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  LocalScore score(const Vector<Scalar>&) const override { return {}; }
};

/// Returns the same problem, without what an evaluation computes.
template <class Scalar>
Problem<Scalar> without_evaluation(const Problem<Scalar>& problem) {
  Problem<Scalar> rest;
  for (const auto& objective : problem.objectives)
    rest.objectives.push_back(std::make_unique<GradientOnly<Scalar>>(*objective));
  rest.initial = problem.initial;
  rest.regularizer = problem.regularizer;
  rest.data_digest = problem.data_digest;
  rest.model_digest = problem.model_digest;
  return rest;
}

/// Returns the least CPU time of a few gradients of the first peer with data.
template <class Scalar>
double least_gradient(const Experiment<Scalar>& experiment) {
  const Objective<Scalar>& objective = experiment.problem.first_with_data();
  const std::vector<Index> samples = samples_to_time(experiment, objective);
  Vector<Scalar> gradient(experiment.problem.dimension());
  double least = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < tried_gradients; ++repetition) {
    const double begin = core_seconds();
    objective.gradient(experiment.problem.initial, samples, gradient);
    least = std::min(least, core_seconds() - begin);
  }
  return least;
}

/// Returns the CPU seconds of an evaluation: of the loss and the accuracy of the mean model, and of the loss
/// of every peer's model if it is evaluated, too.
template <class Scalar>
double evaluation_seconds(const Experiment<Scalar>& experiment) {
  const Problem<Scalar>& problem = experiment.problem;
  const double begin = core_seconds();
  problem.first_with_data().loss(problem.initial);
  const double of_a_shard = core_seconds() - begin;
  if (problem.accuracy) problem.accuracy(problem.initial);
  const double of_accuracy = core_seconds() - begin - of_a_shard;
  const std::size_t losses = losses_per_evaluation(experiment.settings.run.evaluate, problem.peer_count());
  return of_a_shard * static_cast<double>(losses) + of_accuracy;
}

/// Returns the same per iteration of what `member` counts between two evaluations.
double per_iteration(std::uint64_t Evaluation::*member, const Evaluation& from, const Evaluation& to) {
  return static_cast<double>(to.*member - from.*member) / static_cast<double>(to.iteration - from.iteration);
}

/// True if both are equal up to a tenth of the larger one.
bool alike(double a, double b) { return std::abs(a - b) <= 0.1 * std::max(a, b); }

bool is_constant(const NetworkSettings& network) {
  return network.jitter == Duration{0} && network.message_loss == 0.0 && network.trace == BandwidthTrace{} &&
         network.compute.kind != ComputeTime::Kind::lognormal;
}

}  // namespace

bool repeats_its_iterations(const RunSettings& settings, const MethodInfo& method) {
  return !method.asynchronous && !settings.topology.rounds_close() && !settings.shapes_evaluations() &&
         settings.faults.empty() && !peers_come_and_go(settings) && is_constant(settings.network) &&
         std::ranges::all_of(settings.peer_networks,
                             [](const auto& of_peer) { return is_constant(of_peer.second); });
}

std::size_t losses_per_evaluation(RunSettings::Run::Evaluate whose, std::size_t peers) {
  return whose == RunSettings::Run::Evaluate::peers ? peers * (peers + 1) : peers;
}

double seconds_to_try(const RunResult& measured) {
  double of_an_iteration = 0.0;  // of all peers
  for (const PeerOutcome& peer : measured.peers)
    if (peer.iterations > 0)
      of_an_iteration += seconds(peer.meters.compute) / static_cast<double>(peer.iterations);
  const double of_a_gradient =
      of_an_iteration / static_cast<double>(std::max<std::size_t>(1, measured.peers.size()));
  return tried_gradients * of_a_gradient + static_cast<double>(first_try) * of_an_iteration;
}

template <class Scalar>
std::optional<TriedIterations> try_iterations(Experiment<Scalar>& experiment, Duration patience) {
  const Clock::time_point give_up = Clock::now() + patience;
  for (const auto& objective : experiment.problem.objectives) objective->get_ready();
  const double gradient_seconds = least_gradient(experiment);
  const auto gradient = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(gradient_seconds));
  Problem<Scalar> whole = std::exchange(experiment.problem, without_evaluation(experiment.problem));

  std::optional<TriedIterations> tried;
  for (const std::uint64_t some : {first_try, second_try}) {
    if (some > experiment.iterations || Clock::now() >= give_up) break;
    const double begin = core_seconds();
    const RunOutcome<Scalar> outcome = simulate_first(experiment, some, gradient, give_up);
    const double used = core_seconds() - begin;
    if (outcome.status != RunStatus::done || outcome.evaluations.size() < 2) break;
    tried = TriedIterations{outcome.evaluations.end()[-2], outcome.evaluations.back(),
                            used / static_cast<double>(outcome.peers.front().iterations), 0.0};
    // The second try takes six times as long; better none than one that is given up.
    if (Clock::now() + (second_try / first_try) *
                           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(used)) >
        give_up)
      break;
  }
  experiment.problem = std::move(whole);
  if (!tried) return std::nullopt;
  tried->cpu_per_evaluation = evaluation_seconds(experiment);
  return tried;
}

std::optional<double> expected_seconds(const RunResult& measured, const TriedIterations& tried,
                                       unsigned cores) {
  const Evaluation& first = measured.evaluations.front();
  const Evaluation& last = measured.evaluations.back();
  if (last.iteration == first.iteration) return std::nullopt;
  for (const auto member :
       {&Evaluation::gradient_evaluations, &Evaluation::bytes_sent, &Evaluation::messages_sent})
    if (!alike(per_iteration(member, first, last), per_iteration(member, tried.before, tried.last)))
      return std::nullopt;
  const auto iterations = static_cast<double>(last.iteration);
  const double virtual_per_iteration = (tried.last.seconds - tried.before.seconds) /
                                       static_cast<double>(tried.last.iteration - tried.before.iteration);
  const double on_the_network =
      tried.last.seconds + virtual_per_iteration * (iterations - static_cast<double>(tried.last.iteration));
  const double work = iterations * tried.cpu_per_iteration +
                      static_cast<double>(measured.evaluations.size()) * tried.cpu_per_evaluation;
  const double sockets = core_seconds_per_message * static_cast<double>(last.messages_sent);
  return std::max(on_the_network, work / cores) + sockets / cores;
}

std::string slowness_text(double measured_seconds, double expected_seconds) {
  const double factor = measured_seconds / expected_seconds;
  if (!(factor > normal_factor) || measured_seconds - expected_seconds < normal_excess_seconds) return "";
  return significant(factor, 2) + " times as long as the " + seconds_text(expected_seconds) +
         " predicted: this machine was busy";
}

template std::optional<TriedIterations> try_iterations<float>(Experiment<float>&, Duration);
template std::optional<TriedIterations> try_iterations<double>(Experiment<double>&, Duration);

}  // namespace hearsay
