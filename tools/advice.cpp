#include "tools/advice.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "algorithms/registry.hpp"
#include "runtime/cluster_file.hpp"
#include "runtime/problem_builder.hpp"
#include "runtime/traffic_forecast.hpp"
#include "tools/candidates.hpp"
#include "tools/dry_run.hpp"
#include "tools/human_text.hpp"
#include "tools/loss_tail.hpp"
#include "tools/probe.hpp"
#include "tools/probe_problem.hpp"
#include "tools/training.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int most_halvings = 3;
/// No method that takes plain steps needs fewer iterations.
const std::string exact_average = "allreduce-sgd";

/// Emulated compute is what the simulator can be told beforehand: as long as it was measured once, for all candidates.
void take_for_constant(NetworkSettings& network, Duration measured) {
  if (network.compute.kind == ComputeTime::Kind::measured)
    network.compute = {ComputeTime::Kind::constant, measured, 0.0};
}

RunSettings simulated(RunSettings settings, Duration measured) {
  take_for_constant(settings.network, measured);
  for (auto& [peer, network] : settings.peer_networks) take_for_constant(network, measured);
  settings.run.target_loss = std::nullopt;
  return settings;
}

/// One stochastic gradient step an iteration, without momentum: the methods that do so need about as many iterations.
bool takes_plain_steps(const RunSettings& settings) {
  const MethodOptions& options = settings.algorithm.options;
  return !options.momentum && !options.estimator && options.optimizer.value_or("sgd") == "sgd" &&
         options.local_steps.value_or(1) == 1;
}

/// What an iteration takes then says nothing of later ones.
bool changes_with_time(const RunSettings& settings) {
  return !settings.network.trace.empty() || std::ranges::any_of(settings.peer_networks, [](const auto& peer) {
    return !peer.second.trace.empty();
  });
}

/// action(0), ..., action(count - 1), begun in this order, by as many threads as the machine has cores.
template <class Action>
void side_by_side(std::size_t count, const Action& action) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < count; k = next++) action(k);
  };
  std::vector<std::jthread> threads;
  for (std::size_t k = 1; k < std::min<std::size_t>(std::thread::hardware_concurrency(), count); ++k)
    threads.emplace_back(work);
  work();
}

/// A candidate that is not out yet.
struct Contender {
  Prospect prospect;
  double usual_iterations = 1.0;       ///< times those of all-reduce
  double seconds_per_iteration = 0.0;  ///< 0 where the dry run did not tell
  double bytes = 0.0;                  ///< of the whole run
};

template <class Scalar>
class Search {
 public:
  Search(const RunSettings& yours, const AdviceControl& control)
      : control_(control), end_(began_ + control.patience) {
    if (yours.topology.peers < 2 && yours.topology.file.empty())
      throw Misuse("topology.peers", std::to_string(yours.topology.peers),
                   "a single peer talks to nobody, so there is nothing to choose; expected at least 2");
    Cluster cluster = make_cluster(yours.topology, yours.run.seed);
    problem_ = build_problem<Scalar>(resolved(yours, cluster));
  }

  Advice run(const RunSettings& yours) {
    try_yours(yours);
    std::vector<Contender> contenders = time_iterations(yours);
    side_by_side(contenders.size(), [&](std::size_t k) {
      Prospect& prospect = contenders[k].prospect;
      if (is_over())
        prospect.why = "no time was left to try it";
      else if (cannot_win(contenders[k]))
        leave_out(prospect, Fate::bounded,
                  seconds_text(contenders[k].seconds_per_iteration) + " an iteration");
      else
        attempt(prospect);
      settle(std::move(prospect));
    });
    advice_.interrupted = control_.interrupted();
    if (advice_.ranked.empty() && !advice_.interrupted) refuse_target();
    return std::move(advice_);
  }

 private:
  /// The user's choice is tried as it is: its steps, and all its iterations if there is time.
  void try_yours(const RunSettings& yours) {
    Experiment<Scalar> experiment = prepare<Scalar>(yours, borrowed(problem_));
    advice_.measured_gradient = measured_gradient_of(experiment);
    advice_.yours = {.settings = experiment.settings, .warnings = experiment.warnings};
    experiment.settings = simulated(experiment.settings, advice_.measured_gradient);
    advice_.target_is_yours = yours.run.target_loss.has_value();
    const Probe found = tried(experiment, yours.run.target_loss.value_or(-never), never, 3);
    advice_.target_loss = yours.run.target_loss.value_or(found.evaluations.back().loss);
    if (!advice_.target_is_yours && found.end == Probe::End::diverged)
      throw Misuse("run.target_loss", "not given",
                   "the run by itself diverges, so it gives no loss to compare by; expected a loss to reach");
    judge(advice_.yours, experiment, found);
    settle(advice_.yours);
  }

  /// Refuses those that are unsound; the others in the order of their iterations' length. But all-reduce, whose iterations
  /// are the fewest, comes first: it says what the others are bound by.
  std::vector<Contender> time_iterations(const RunSettings& yours) {
    const Index batch = yours.algorithm.batch ? static_cast<Index>(*yours.algorithm.batch)
                                              : std::numeric_limits<Index>::max();
    const Problem<Scalar> imitated = stand_in(problem_, batch);
    std::vector<Candidate> candidates = candidates_beside(yours);
    if (advice_.yours.fate == Fate::diverges) {  // with shorter steps it may not
      candidates.push_back({yours, 1.0});
      candidates.back().settings.algorithm.allow_unsound = false;
    }
    std::vector<Contender> timed;
    for (const Candidate& candidate : candidates)
      timed.push_back({{.settings = candidate.settings}, candidate.iterations});
    side_by_side(timed.size(), [&](std::size_t k) {
      say("how long an iteration takes: " + std::to_string(k + 1) + " of " +
          counted(timed.size(), "candidate"));
      if (!is_over()) time_iteration(imitated, timed[k]);
    });
    std::vector<Contender> contenders;
    for (Contender& contender : timed) {
      if (contender.prospect.fate == Fate::refused)
        settle(std::move(contender.prospect));
      else if (!is_known(contender.prospect.settings, contenders))
        contenders.push_back(std::move(contender));
    }
    std::ranges::stable_sort(contenders, {}, in_which_order);
    return contenders;
  }

  /// The most promising first; of two that take equally long, that which does not compress, then that which says less.
  static std::tuple<bool, double, bool, double> in_which_order(const Contender& contender) {
    const RunSettings::Algorithm& algorithm = contender.prospect.settings.algorithm;
    return {algorithm.kind != exact_average, contender.usual_iterations * contender.seconds_per_iteration,
            algorithm.compressor != "none", contender.bytes};
  }

  /// Two spellings of the same.
  bool is_known(const RunSettings& candidate, const std::vector<Contender>& contenders) const {
    RunSettings yours = advice_.yours.settings;
    yours.algorithm.allow_unsound = false;
    return (advice_.yours.fate != Fate::diverges && candidate == yours) ||
           std::ranges::any_of(contenders,
                               [&](const Contender& other) { return other.prospect.settings == candidate; });
  }

  /// Or refuses it. Where the validator wants a smaller consensus step than the method's own, it gets one.
  void time_iteration(const Problem<Scalar>& imitated, Contender& contender) {
    Prospect& prospect = contender.prospect;
    const MethodInfo& method = find_method(prospect.settings.algorithm.kind);
    std::optional<double>& step = prospect.settings.algorithm.options.consensus_step;
    for (int halvings = 0;; ++halvings) {
      try {
        Experiment<Scalar> experiment =
            prepare<Scalar>(simulated(prospect.settings, advice_.measured_gradient), borrowed(imitated));
        constexpr auto patience = std::chrono::milliseconds(500);
        const DryRun forecast = dry_run(experiment, forecast_traffic(experiment), patience);
        contender.seconds_per_iteration = forecast.seconds_per_iteration.value_or(0.0);
        contender.bytes = std::accumulate(forecast.peer_bytes.begin(), forecast.peer_bytes.end(), 0.0);
        const RunSettings& found = experiment.settings;
        prospect.settings.algorithm = found.algorithm;
        prospect.settings.topology = found.topology;
        prospect.settings.link_overrides = found.link_overrides;
        leave_out(prospect, Fate::untold, "");
        return;
      } catch (const Misuse& misuse) {
        leave_out(prospect, Fate::refused, misuse.what());
      }
      if (!method.options.consensus_step || halvings == most_halvings) return;
      step = step.value_or(*method.options.consensus_step) / 2.0;
    }
  }

  bool cannot_win(const Contender& contender) {
    const std::lock_guard lock(mutex_);
    return fewest_iterations_ && takes_plain_steps(contender.prospect.settings) &&
           !changes_with_time(contender.prospect.settings) &&
           *fewest_iterations_ * contender.seconds_per_iteration >= seconds_to_beat();
  }

  void attempt(Prospect& prospect) {
    const bool bounds_others = prospect.settings.algorithm.kind == exact_average;
    const auto limit = [&] {
      const std::lock_guard lock(mutex_);
      return bounds_others ? never : seconds_to_beat();
    };
    for (int halvings = 0; halvings <= most_halvings && !is_over(); ++halvings) {
      if (halvings > 0) prospect.settings.algorithm.step_size /= 2.0;
      try {
        const Experiment<Scalar> experiment =
            prepare<Scalar>(simulated(prospect.settings, advice_.measured_gradient), borrowed(problem_));
        prospect.warnings = experiment.warnings;
        judge(prospect, experiment, tried(experiment, advice_.target_loss, limit(), 8));
      } catch (const Misuse& misuse) {
        leave_out(prospect, Fate::refused, misuse.what());
      }
      if (prospect.fate != Fate::diverges) return;
    }
  }

  /// With at most that part of the patience.
  Probe tried(const Experiment<Scalar>& experiment, double target, double virtual_seconds, int part) {
    const Clock::time_point give_up = std::min(end_, Clock::now() + control_.patience / part);
    const std::string name = experiment.settings.algorithm.kind + " on " + experiment.settings.topology.kind;
    return probe(experiment, {.target_loss = target,
                              .virtual_seconds = virtual_seconds,
                              .give_up = give_up,
                              .interrupted = control_.interrupted,
                              .progress = [&](const Evaluation& evaluation) {
                                say(name + ": iteration " + grouped(evaluation.iteration) + ", loss " +
                                    significant(evaluation.loss));
                              }});
  }

  void judge(Prospect& prospect, const Experiment<Scalar>& experiment, const Probe& found) {
    look_at_target(prospect, experiment, found);
    const double distance = prospect.consensus_distance;
    constexpr double most_of_the_way = 0.25;
    if (&prospect != &advice_.yours && prospect.promises() && distance > most_of_the_way * found.moved)
      leave_out(prospect, Fate::apart,
                "they are " + significant(distance, 3) + " from their mean, which has moved by " +
                    significant(found.moved, 3));
  }

  void look_at_target(Prospect& prospect, const Experiment<Scalar>& experiment, const Probe& found) {
    const Evaluation& last = found.evaluations.back();
    prospect.tried = last.iteration;
    prospect.run_length = experiment.iterations;
    const double target = advice_.target_loss;
    const auto reached = std::ranges::find_if(
        found.evaluations, [&](const Evaluation& evaluation) { return evaluation.loss <= target; });
    if (reached != found.evaluations.end()) return take_figures(prospect, *reached);
    switch (found.end) {
      case Probe::End::reached:
      case Probe::End::out_of_time:
      case Probe::End::ended:
        return extrapolate(prospect, experiment, found.evaluations);
      case Probe::End::slower:
        return leave_out(prospect, Fate::slower,
                         "after " + seconds_text(last.seconds) + " its loss is " + significant(last.loss));
      case Probe::End::diverged:
        return leave_out(prospect, Fate::diverges,
                         "with steps of " + significant(prospect.settings.algorithm.step_size) + ", too");
      case Probe::End::interrupted:
        return leave_out(prospect, Fate::untold, "interrupted");
    }
  }

  void take_figures(Prospect& prospect, const Evaluation& reached) {
    prospect.fate = Fate::reached;
    prospect.why.clear();
    prospect.iterations = reached.iteration;
    prospect.seconds = reached.seconds;
    prospect.consensus_distance = reached.consensus_distance;
    prospect.bytes_per_peer =
        static_cast<double>(reached.bytes_sent) / static_cast<double>(problem_.peer_count());
  }

  /// An iteration goes on taking as long, and as many bytes, as in the second half of those that were tried.
  void extrapolate(Prospect& prospect, const Experiment<Scalar>& experiment,
                   const std::vector<Evaluation>& evaluations) {
    constexpr double farthest = 10.0;  // times as far as it was watched
    const Evaluation& last = evaluations.back();
    const Evaluation& middle = evaluations[evaluations.size() / 2];
    const std::string seen = "in " + counted(last.iteration, "iteration") + " to " + significant(last.loss);
    const auto expected = outlook(evaluations, advice_.target_loss);
    if (!expected) return leave_out(prospect, Fate::untold, seen + ", too few to say more");
    if (!expected->iterations)
      return leave_out(prospect, Fate::levels_off,
                       seen + ", levels off at about " + significant(expected->floor));
    const auto every = static_cast<double>(experiment.settings.run.evaluate_every);
    const double iterations = every * std::ceil(*expected->iterations / every);
    if (iterations > farthest * static_cast<double>(last.iteration))
      return leave_out(prospect, Fate::levels_off, seen + ", the target is not in sight");
    const double more = (iterations - static_cast<double>(last.iteration)) /
                        static_cast<double>(last.iteration - middle.iteration);
    prospect.fate = Fate::in_sight;
    prospect.iterations = static_cast<std::uint64_t>(iterations);
    prospect.consensus_distance = last.consensus_distance;
    prospect.seconds = last.seconds + more * (last.seconds - middle.seconds);
    prospect.bytes_per_peer = (static_cast<double>(last.bytes_sent) +
                               more * static_cast<double>(last.bytes_sent - middle.bytes_sent)) /
                              static_cast<double>(problem_.peer_count());
  }

  static void leave_out(Prospect& prospect, Fate fate, std::string why) {
    prospect.fate = fate;
    prospect.why = std::move(why);
  }

  void settle(Prospect prospect) {
    const std::lock_guard lock(mutex_);
    if (prospect.settings.algorithm.kind == exact_average && prospect.fate == Fate::reached)
      fewest_iterations_ = static_cast<double>(prospect.iterations);
    if (!prospect.promises()) {
      advice_.left_out.push_back(std::move(prospect));
      return;
    }
    const auto behind = std::ranges::upper_bound(advice_.ranked, prospect.seconds, {}, &Prospect::seconds);
    advice_.ranked.insert(behind, std::move(prospect));
  }

  /// Of the last one that is printed.
  double seconds_to_beat() const {
    return advice_.ranked.size() < advised ? never : advice_.ranked[advised - 1].seconds;
  }

  bool is_over() const { return control_.interrupted() || Clock::now() >= end_; }

  [[noreturn]] void refuse_target() const {
    throw Misuse("run.target_loss", significant(advice_.target_loss),
                 "none of " + counted(advice_.left_out.size(), "candidate") + " gets there (yours: " +
                     advice_.yours.why + "); expected a loss that can be reached, or more run.iterations");
  }

  void say(const std::string& what) {
    const std::lock_guard lock(mutex_);
    control_.progress(what);
  }

  const AdviceControl& control_;
  const Clock::time_point began_ = Clock::now();
  const Clock::time_point end_;
  Problem<Scalar> problem_;

  std::mutex mutex_;                         // over the rest
  std::optional<double> fewest_iterations_;  // of plain steps: what all-reduce needs
  Advice advice_;
};

}  // namespace

std::string to_text(Fate fate) {
  switch (fate) {
    case Fate::reached:
      return "reached";
    case Fate::in_sight:
      return "extrapolated";
    case Fate::slower:
      return "slower";
    case Fate::bounded:
      return "slower even at best";
    case Fate::apart:
      return "apart";
    case Fate::levels_off:
      return "levels off";
    case Fate::diverges:
      return "diverges";
    case Fate::refused:
      return "refused";
    case Fate::untold:
      return "untold";
  }
  return {};
}

template <class Scalar>
Advice advise(const RunSettings& yours, const AdviceControl& control) {
  return Search<Scalar>(yours, control).run(yours);
}

template Advice advise<float>(const RunSettings&, const AdviceControl&);
template Advice advise<double>(const RunSettings&, const AdviceControl&);

}  // namespace hearsay
