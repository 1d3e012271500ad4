#include "runtime/experiment/soundness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/demo.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/stability/dcd_limit.hpp"
#include "algorithms/stability/schedule_dcd_limit.hpp"
#include "runtime/experiment/hub_soundness.hpp"
#include "runtime/experiment/mixing_soundness.hpp"
#include "runtime/experiment/unsound.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

template <class Scalar>
class SoundnessCheck {
 public:
  explicit SoundnessCheck(Experiment<Scalar>& experiment)
      : experiment_(experiment),
        method_(*experiment.method),
        compressor_(experiment.settings.algorithm.compressor),
        traits_(measured_traits(*make(), static_cast<std::size_t>(experiment.problem.dimension()))) {}

  void run() {
    check_mixing(experiment_.settings, method_, experiment_.topology, *experiment_.schedule,
                 experiment_.warnings);
    check_gossip();
    check_optimizer();
    check_gradient_table();
    check_leader();
    check_aggregate();
    check_senders();
    check_size();
    check_side_information();
    if (method_.pattern.has_hub) return check_hub(experiment_);
    switch (method_.compressor) {
      case CompressorNeed::none:
        if (compressor_ != "none")
          throw Misuse("algorithm.compressor", compressor_,
                       method_.name + " sends full precision; use none, or another method");
        break;
      case CompressorNeed::any:
        if (compressor_ != "none")
          experiment_.warnings.push_back(
              method_.name + " with " + compressor_ +
              ": the error of compressed models never vanishes; a negative control, expect a floor");
        break;
      case CompressorNeed::unbiased:
        check_relative();
        break;
      case CompressorNeed::absolute:
        check_absolute();
        break;
      case CompressorNeed::bounded:
        check_bounded();
        break;
      case CompressorNeed::contracting:
        check_contracting();
        break;
      case CompressorNeed::damped:
        if (!traits_.unbiased) check_contracting();
        break;
      case CompressorNeed::corrected:
        check_corrected();
        break;
    }
  }

 private:
  std::unique_ptr<Compressor<Scalar>> make() const {
    return make_compressor<Scalar>(compressor_, experiment_.problem.objectives.front()->segments());
  }

  void check_gossip() {
    const std::optional<std::string>& gossip = experiment_.settings.algorithm.options.find(option::gossip);
    if (gossip == "chebyshev" &&
        (experiment_.schedule->period() != 1 || !experiment_.topology.mixing.symmetric()))
      throw Misuse("algorithm.gossip", *gossip,
                   "it needs one symmetric mixing matrix for all rounds; expected plain, or another "
                   "topology.schedule, topology.participation or topology.weights");
  }

  /// Warns of optimizers with a state: nothing makes the peers' momenta or scales agree.
  void check_optimizer() {
    const MethodOptions& options = experiment_.settings.algorithm.options;
    const std::optional<std::string>& optimizer = options.find(option::optimizer);
    if (!optimizer || *optimizer == "sgd") return;
    const std::string name = optimizer->substr(0, optimizer->find('('));
    const bool is_hubs = method_.pattern.has_hub && !method_.options.has(option::local_steps);
    if (is_hubs) return;  // one state, or equal ones, from the mean gradient
    const std::uint64_t local_steps = most_local_steps(options, experiment_.settings.topology.workers());
    if (local_steps > 1 && experiment_.settings.data.partition == "by-label" &&
        (name == "adam" || name == "amsgrad" || name == "adamw")) {
      experiment_.warnings.push_back(
          "algorithm.optimizer = " + *optimizer + ": with data.partition = by-label and " +
          std::to_string(local_steps) +
          " local steps every peer goes as far as the others, however small its gradients are, and the run "
          "settles far from the optimum; expected sgd, heavy-ball or nesterov");
      return;
    }
    experiment_.warnings.push_back("algorithm.optimizer = " + *optimizer +
                                   ": every peer keeps a state of its own, from its own gradients; where the "
                                   "peers' data differ, the models agree "
                                   "less, and end farther from the optimum, than with sgd");
  }

  void check_gradient_table() {
    const double bytes = static_cast<double>(gradient_table_bytes(experiment_));
    constexpr double plenty = 1e9;
    if (bytes > plenty)
      experiment_.warnings.push_back("algorithm.estimator = saga: a gradient of every sample is kept, " +
                                     std::to_string(std::llround(bytes / 1e6)) +
                                     " MB at all peers together; loopless-svrg keeps none");
  }

  void check_leader() {
    if (!method_.pattern.has_leader && make()->shared_selection())
      throw Misuse("algorithm.compressor", compressor_,
                   "it needs a common leader, which " + method_.name +
                       " has not; expected topk, or algorithm.kind = \"qsgd-allreduce\"");
  }

  void check_aggregate() {
    const std::optional<std::string>& aggregate =
        experiment_.settings.algorithm.options.find(option::aggregate);
    if (aggregate == "senders-mean" && !make()->sent_coefficients())
      throw Misuse("algorithm.aggregate", *aggregate,
                   compressor_ +
                       " sends no single coefficients; expected mean, or chunk-topk as the "
                       "compressor, alone or after dct");
  }

  /// Warns of the mean over the senders where they are few: what one peer alone sends counts n times.
  void check_senders() {
    const RunSettings& settings = experiment_.settings;
    const MethodOptions& options = settings.algorithm.options;
    if (options.find(option::aggregate) != "senders-mean" || options.find(option::signs) == "signed" ||
        settings.data.partition == "iid")
      return;
    experiment_.warnings.push_back(
        "algorithm.aggregate = senders-mean: where the peers' data differ (data.partition = " +
        settings.data.partition +
        "), what one peer alone sends moves all by its whole length, and the run may diverge; expected mean");
  }

  /// Warns of a compressor whose messages are not shorter. Says nothing if the size depends on the data: the
  /// bound says little, and `hearsay check` measures it.
  void check_size() {
    const auto dimension = static_cast<std::size_t>(experiment_.problem.dimension());
    if (compressor_ == "none" || traits_.data_dependent_size || traits_.bytes < dimension * sizeof(Scalar))
      return;
    experiment_.warnings.push_back(no_shorter_than_none(
        compressor_, 8.0 * static_cast<double>(traits_.bytes) / static_cast<double>(dimension),
        8 * sizeof(Scalar)));
  }

  void check_side_information() {
    if (!reads_near()) return;
    const MethodOptions& options = experiment_.settings.algorithm.options;
    const auto refuse = [&](const std::string& why) {
      throw Misuse("algorithm.side_information", options[option::side_information], why);
    };
    if (!make_near_compressor<Scalar>(compressor_, experiment_.problem.objectives.front()->segments()))
      refuse("it sends whole numbers of steps of one fixed grid, modulo k, and " + compressor_ +
             " has none; expected none, or a compressor such as grid(step=0.001) or mod(k=16, step=0.001)");
    if (options[option::side_information] == "replica") return;
    if (experiment_.schedule->period() != 1)
      refuse(
          "a neighbor that was not there has not heard the last message; expected replica, or "
          "topology.schedule = \"static\" with topology.participation = 1");
    if (options.find(option::memory) == "aggregate")
      refuse(
          "with algorithm.memory = aggregate a peer keeps nothing of a single neighbor; expected replica, "
          "or algorithm.memory = \"replicas\"");
  }

  /// True if the compressor's codes are read near side information.
  bool reads_near() const {
    return experiment_.settings.algorithm.options.find(option::side_information).value_or("none") != "none";
  }

  void check_relative() {
    if (!traits_.unbiased)
      return unsound(
          "algorithm.compressor", compressor_,
          method_.name + " needs an unbiased compressor, such as dither(linf, bits=8, bucket=512)");
    if (experiment_.peer_count() == 1) return;
    if (reads_near()) {
      experiment_.warnings.push_back(
          compressor_ + ": its error does not shrink with the differences that " + method_.name +
          " compresses, so the models end at a distance from the optimum that the step of the grid decides");
      return;
    }
    const bool fixed = experiment_.schedule->period() == 1;
    const auto of_mixing = fixed ? DcdLimit::of(experiment_.topology.mixing) : std::optional<DcdLimit>();
    if (of_mixing) experiment_.omega_limit = of_mixing->omega();
    if (!fixed) experiment_.omega_limit = dcd_omega_limit(*experiment_.schedule);
    if (!std::isfinite(traits_.omega))
      return unsound(
          "algorithm.compressor", compressor_,
          "its error does not shrink with the differences that " + method_.name +
              " compresses, however small they become; expected algorithm.kind = \"ecd-psgd\", which "
              "wants such a one, or dither(linf, bits=8, bucket=512)");
    if (!experiment_.omega_limit) {
      experiment_.warnings.push_back("how much relative variance " + method_.name + " tolerates is not " +
                                     (fixed ? "computed for more than 128 peers on such a topology"
                                            : "predicted under the schedule " + experiment_.schedule->name() +
                                                  (experiment_.schedule->repeats_in_order()
                                                       ? ", which has too many rounds or mixes too slowly"
                                                       : ", whose order is drawn anew")) +
                                     "; " + compressor_ + " has " + three_digits(traits_.omega_typical) +
                                     " on Gaussian data");
      return;
    }
    const std::string here = fixed ? " on this topology" : " under this schedule";
    const double limit = *experiment_.omega_limit;
    if (traits_.omega < limit) return;
    const bool typical = traits_.omega_typical >= limit;
    std::string remedy = "; take more bits or smaller buckets";
    const double omega = typical ? traits_.omega_typical : traits_.omega;
    // Peers that hardly listen tolerate anything, so a larger self weight is no remedy.
    if (const double self_weight = of_mixing ? of_mixing->self_weight_for(omega) : 1.0; self_weight < 0.95)
      remedy += ", or lazier weights: self weights of at least " + three_digits(self_weight) +
                " tolerate it (weights = \"lazy\" tolerates less than " +
                three_digits(of_mixing->omega(0.5)) + ")";
    if (typical)
      unsound("algorithm.compressor", compressor_,
              "its relative variance is " + three_digits(traits_.omega_typical) + " on Gaussian data, and " +
                  method_.name + " tolerates less than " + three_digits(limit) + here + remedy);
    else
      experiment_.warnings.push_back(compressor_ + ": relative variance " +
                                     three_digits(traits_.omega_typical) + " on Gaussian data, but up to " +
                                     three_digits(traits_.omega) + " in the worst case; " + method_.name +
                                     " tolerates less than " + three_digits(limit) + here + remedy);
  }

  void check_absolute() {
    if (!traits_.unbiased || !traits_.absolute_error_per_coordinate)
      unsound(
          "algorithm.compressor", compressor_,
          method_.name +
              " needs an unbiased compressor whose error does not grow with what it compresses, such as " +
              method_.default_compressor);
  }

  void check_bounded() {
    if (traits_.absolute_error_per_coordinate) return;
    unsound("algorithm.compressor", compressor_,
            method_.name + " needs a compressor whose error does not grow with what it compresses, such as " +
                method_.default_compressor);
  }

  /// What a message leaves out stays in the difference to the replica, or in the error memory. It has to
  /// shrink.
  void check_contracting() {
    if (traits_.contraction || traits_.absolute_error_per_coordinate) return;
    if (!traits_.unbiased)
      experiment_.warnings.push_back(compressor_ + ": how far it contracts depends on the data" +
                                     measured_contraction() + ", so nothing is promised of " + method_.name +
                                     " with it; watch the consensus distance");
    else if (traits_.omega_typical >= 1.0)
      unsound("algorithm.compressor", compressor_,
              "its relative variance is " + three_digits(traits_.omega_typical) + " on Gaussian data, and " +
                  method_.name +
                  ", at any consensus step, diverges where that is 1 or more; expected scale{" + compressor_ +
                  "}");
    else
      experiment_.warnings.push_back(compressor_ + ": relative variance " +
                                     three_digits(traits_.omega_typical) + " on Gaussian data, but up to " +
                                     three_digits(traits_.omega) + " in the worst case, and " + method_.name +
                                     ", at any consensus step, diverges where that is 1 or more; scale{...} "
                                     "rules it out");
  }

  void check_corrected() {
    const MethodOptions& options = experiment_.settings.algorithm.options;
    if (options.has(option::feedback) && !FeedbackRule::parse(options[option::feedback]).remembers()) {
      if (!traits_.unbiased)
        unsound(
            "algorithm.feedback", options[option::feedback],
            compressor_ + " is biased, and without feedback its error is never made up for; expected \"ef\"");
      return;
    }
    // An error that does not grow with the compressed vector keeps the error memory bounded.
    if (traits_.contraction || traits_.absolute_error_per_coordinate) return;
    // If a biased compressor's error is no longer than the vector, a memory that decays is bounded.
    if (!traits_.unbiased && options.has(option::error_decay) && options[option::error_decay] < 1.0) return;
    const std::string memory =
        options.has(option::feedback)
            ? "feedback " + options[option::feedback]
            : "error_decay = " + number_text(options.find(option::error_decay).value_or(1.0));
    if (!traits_.unbiased)
      experiment_.warnings.push_back(compressor_ + ": how far it contracts depends on the data" +
                                     measured_contraction() + ", so nothing is promised of " + memory +
                                     " with it; watch the loss");
    else if (traits_.omega_typical >= 1.0)
      unsound("algorithm.compressor", compressor_,
              "its relative variance is " + three_digits(traits_.omega_typical) +
                  " on Gaussian data, and with " + memory +
                  " an error of 1 or more piles up; expected scale{" + compressor_ + "}" +
                  (options.has(option::feedback) ? ", or feedback = \"none\"" : ""));
    else
      experiment_.warnings.push_back(compressor_ + ": relative variance " +
                                     three_digits(traits_.omega_typical) + " on Gaussian data, but up to " +
                                     three_digits(traits_.omega) + " in the worst case; with " + memory +
                                     " an error of 1 or more piles up, and scale{...} rules it out");
  }

  /// Returns the text " (by 0.1 on the first gradient)": how far the compressor contracts the first
  /// gradient at the initial model. Empty if it is 0 or cannot be encoded, or the data are at home.
  std::string measured_contraction() const {
    if (experiment_.problem.at_home) return "";
    const Objective<Scalar>& objective = experiment_.problem.first_with_data();
    std::vector<Index> samples(static_cast<std::size_t>(std::min<Index>(
        objective.sample_count(), static_cast<Index>(experiment_.settings.algorithm.batch.value_or(4096)))));
    std::iota(samples.begin(), samples.end(), Index{0});
    Vector<Scalar> gradient(experiment_.problem.dimension());
    objective.gradient(experiment_.problem.initial, samples, gradient);
    Vector<Scalar> left = gradient;
    PacketPool packets;
    PacketBuffer packet = packets.acquire();
    RandomStream random(experiment_.settings.run.seed, 0, 0, Purpose::compression);
    const auto compressor = make();
    const auto z = view(std::as_const(gradient));
    if (compressor->encode({z, random, z}, packet) != CodecStatus::ok ||
        compressor->accumulate(packet.bytes(), -1, view(left)) != CodecStatus::ok)
      return "";
    const double size = squared_norm(z);
    return size > 0.0 ? " (by " + three_digits(1.0 - squared_norm(view(std::as_const(left))) / size) +
                            " on the first gradient)"
                      : "";
  }

  void unsound(const std::string& key, const std::string& value, const std::string& expectation) {
    refuse_unless_allowed(experiment_.settings, {key, value, expectation}, experiment_.warnings);
  }

  Experiment<Scalar>& experiment_;
  const MethodInfo& method_;
  std::string compressor_;
  Traits traits_;
};

}  // namespace

std::string no_shorter_than_none(const std::string& compressor, double bits_per_coordinate,
                                 std::size_t bits_of_none) {
  return compressor + " takes " + three_digits(bits_per_coordinate) +
         " bits per coordinate, and none takes " + std::to_string(bits_of_none) + " and loses nothing";
}

template <class Scalar>
void check_soundness(Experiment<Scalar>& experiment) {
  SoundnessCheck<Scalar>(experiment).run();
}

template <class Scalar>
std::uint64_t gradient_table_bytes(const Experiment<Scalar>& experiment) {
  if (experiment.settings.algorithm.options.find(option::estimator) != "saga") return 0;
  Index samples = 0;
  for (const auto& objective : experiment.problem.objectives) samples += objective->sample_count();
  return static_cast<std::uint64_t>(samples * experiment.problem.dimension()) * sizeof(Scalar);
}

template std::uint64_t gradient_table_bytes<float>(const Experiment<float>&);
template std::uint64_t gradient_table_bytes<double>(const Experiment<double>&);
template void check_soundness<float>(Experiment<float>&);
template void check_soundness<double>(Experiment<double>&);

}  // namespace hearsay
