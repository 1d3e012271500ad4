#include "tools/advise/advice.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/resolve.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/settings/link_settings.hpp"
#include "tools/advise/contenders.hpp"
#include "tools/advise/probe.hpp"
#include "tools/advise/probe_problem.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/training/side_by_side.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int most_halvings = 3;
/// A target is looked for in this many times the iterations of the user's run, before it is extrapolated.
constexpr std::uint64_t run_lengths = 10;

/// True if the method takes one stochastic gradient step per iteration, without momentum. All such methods
/// need about as many iterations as each other.
bool takes_plain_steps(const RunSettings& settings) {
  const MethodOptions& options = settings.algorithm.options;
  return !options.has(option::momentum) && !options.has(option::estimator) &&
         options.find(option::optimizer).value_or("sgd") == "sgd" &&
         options.find(option::local_steps).value_or(1) == 1;
}

/// True if a trace changes the network, or who is there, with time: the time of one iteration then says
/// nothing about later ones.
bool changes_with_time(const RunSettings& settings) {
  return !settings.network.trace.empty() || peers_come_and_go(settings) ||
         std::ranges::any_of(settings.peer_networks,
                             [](const auto& peer) { return !peer.second.trace.empty(); });
}

template <class Scalar>
class Search {
 public:
  Search(const RunSettings& yours, const AdviceControl& control)
      : control_(control), end_(began_ + control.patience) {
    if (yours.topology.peers < 2 && yours.topology.file.empty())
      throw Misuse("topology.peers", std::to_string(yours.topology.peers),
                   "a single peer talks to nobody, so there is nothing to choose; expected at least 2");
    NamedTopology topology = make_named_topology(yours.topology, yours.run.seed);
    std::vector<std::string> doubts;  // of programs; a run says them
    problem_ = problem_of<Scalar>(settings_of_workers(resolved(yours, topology)), {}, doubts);
  }

  RankedAdvice run(const RunSettings& yours) {
    try_yours(yours);
    std::vector<Contender> contenders = time_iterations(yours);
    side_by_side(contenders.size(), usable_cores(), [&](std::size_t k) {
      Prospect& prospect = contenders[k].prospect;
      if (is_over())
        prospect.why = "no time was left to try it";
      else if (cannot_win(contenders[k]))
        prospect.leave_out(Fate::bounded,
                           seconds_text(contenders[k].seconds_per_iteration) + " an iteration");
      else
        attempt(prospect);
      settle(std::move(prospect));
    });
    confirm_winner();
    advice_.interrupted = control_.interrupted();
    if (advice_.ranked.empty() && !advice_.interrupted) refuse_target();
    return std::move(advice_);
  }

 private:
  /// Tries the user's own run with its own step size, and all its iterations if there is time. Sets the
  /// target loss.
  void try_yours(const RunSettings& yours) {
    Experiment<Scalar> experiment = prepare<Scalar>(yours, borrowed(problem_));
    advice_.measured_gradient = measured_gradient_of(experiment);
    advice_.yours = {.settings = experiment.settings, .warnings = experiment.warnings};
    experiment.settings = simulated(experiment.settings, advice_.measured_gradient);
    advice_.target_is_yours = yours.run.target_loss.has_value();
    advice_.yours.run_length = experiment.iterations;
    if (experiment.method->pattern.has_hub) advice_.yours.hub_port_share = hub_port_share_of(experiment);
    if (advice_.target_is_yours) experiment.iterations *= run_lengths;
    const Probe found = tried(experiment, yours.run.target_loss.value_or(-never), never, share_of(3));
    advice_.target_loss = yours.run.target_loss.value_or(found.evaluations.back().loss);
    if (const double start = found.evaluations.front().loss;
        advice_.target_is_yours && start <= advice_.target_loss)
      throw Misuse("run.target_loss", significant(advice_.target_loss),
                   "the loss is " + significant(start) + " before the first step; expected a lower target");
    if (!advice_.target_is_yours && found.end == Probe::End::diverged)
      throw Misuse("run.target_loss", "not given",
                   "the run by itself diverges, so it gives no loss to compare by; expected a loss to reach");
    judge(advice_.yours, found, advice_.target_loss);
    settle(advice_.yours);
  }

  /// Times an iteration of every candidate. Returns those that are not refused, in the order in which they
  /// are to be tried.
  std::vector<Contender> time_iterations(const RunSettings& yours) {
    const Index batch = yours.algorithm.batch ? static_cast<Index>(*yours.algorithm.batch)
                                              : std::numeric_limits<Index>::max();
    const Problem<Scalar> imitated = stand_in(problem_, batch);
    std::vector<Candidate> candidates = candidates_beside(yours);
    if (advice_.yours.fate == Fate::diverges) {  // shorter steps may not diverge
      candidates.push_back({yours, 1.0});
      candidates.back().settings.algorithm.allow_unsound = false;
    }
    std::vector<Contender> timed;
    for (const Candidate& candidate : candidates)
      timed.push_back({{.settings = candidate.settings}, candidate.iterations});
    side_by_side(timed.size(), usable_cores(), [&](std::size_t k) {
      say("how long an iteration takes: " + std::to_string(k + 1) + " of " +
          counted(timed.size(), "candidate"));
      if (!is_over()) time_iteration(timed[k], imitated, advice_.measured_gradient);
    });
    std::vector<Contender> contenders;
    for (Contender& contender : timed) {
      if (contender.prospect.fate == Fate::refused)
        settle(std::move(contender.prospect));
      else if (!is_known(contender.prospect.settings, contenders))
        contenders.push_back(std::move(contender));
    }
    put_in_order(contenders);
    return contenders;
  }

  /// True if the candidate is the user's own run, or equals an earlier contender: two spellings of the same
  /// settings.
  bool is_known(const RunSettings& candidate, const std::vector<Contender>& contenders) const {
    RunSettings yours = advice_.yours.settings;
    yours.algorithm.allow_unsound = false;
    return (advice_.yours.fate != Fate::diverges && candidate == yours) ||
           std::ranges::any_of(contenders,
                               [&](const Contender& other) { return other.prospect.settings == candidate; });
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
        train(prospect, limit(), share_of(8));
      } catch (const Misuse& misuse) {
        prospect.leave_out(Fate::refused, misuse.what());
      }
      if (prospect.fate != Fate::diverges) return;
    }
  }

  /// If the first of the ranking was extrapolated, trains it to the target. It then has the place that it
  /// deserves, and whoever is the first now is trained in turn. Spends at most the patience once more.
  void confirm_winner() {
    const Clock::time_point give_up = Clock::now() + control_.patience;
    while (!advice_.ranked.empty() && advice_.ranked.front().fate == Fate::in_sight &&
           Clock::now() < give_up && !control_.interrupted()) {
      Prospect winner = std::move(advice_.ranked.front());
      advice_.ranked.erase(advice_.ranked.begin());
      train(winner, never, give_up);
      if (winner.settings == advice_.yours.settings) advice_.yours = winner;
      const bool out_of_time = winner.fate == Fate::in_sight;
      settle(std::move(winner));
      if (out_of_time) return;
    }
  }

  /// Trains a candidate, for run_lengths times its run or, if its target was extrapolated, times the
  /// extrapolation; and judges it.
  void train(Prospect& prospect, double virtual_seconds, Clock::time_point give_up) {
    Experiment<Scalar> experiment =
        prepare<Scalar>(simulated(prospect.settings, advice_.measured_gradient), borrowed(problem_));
    prospect.warnings = experiment.warnings;
    prospect.run_length = experiment.iterations;
    experiment.iterations = run_lengths * std::max(prospect.run_length, prospect.latest);
    const Probe found = tried(experiment, advice_.target_loss, virtual_seconds, give_up);
    judge(prospect, found, advice_.target_loss);
    require_one_model(prospect, found);
  }

  /// Returns when 1 / `part` of the patience will be over, or all of it.
  Clock::time_point share_of(int part) const {
    return std::min(end_, Clock::now() + control_.patience / part);
  }

  /// Trains the experiment in virtual time.
  Probe tried(const Experiment<Scalar>& experiment, double target, double virtual_seconds,
              Clock::time_point give_up) {
    const std::string name = experiment.settings.algorithm.kind + " on " + experiment.settings.topology.kind;
    return probe(experiment, {.target_loss = target,
                              .virtual_seconds = virtual_seconds,
                              .out_of_time = [give_up] { return Clock::now() >= give_up; },
                              .interrupted = control_.interrupted,
                              .progress =
                                  [&](const Evaluation& evaluation) {
                                    say(name + ": iteration " + grouped(evaluation.iteration) + ", loss " +
                                        significant(evaluation.loss));
                                  }});
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

  /// Returns the seconds of the last candidate that would be printed; infinity if there are fewer than five.
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

  std::mutex mutex_;  // over the rest
  // The iterations of all-reduce, the fewest of all methods that take plain steps.
  std::optional<double> fewest_iterations_;
  RankedAdvice advice_;
};

}  // namespace

template <class Scalar>
RankedAdvice advise(const RunSettings& yours, const AdviceControl& control) {
  return Search<Scalar>(yours, control).run(yours);
}

template RankedAdvice advise<float>(const RunSettings&, const AdviceControl&);
template RankedAdvice advise<double>(const RunSettings&, const AdviceControl&);

}  // namespace hearsay
