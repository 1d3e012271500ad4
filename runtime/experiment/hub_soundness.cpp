#include "runtime/experiment/hub_soundness.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/parts/kept_gradients.hpp"
#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/unsound.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

/// The peer that all others are linked with, and with nobody else; empty if there is none.
std::optional<PeerId> centre_of(const Graph& graph) {
  const PeerId peers = graph.peer_count();
  for (PeerId id = 0; id < peers; ++id)
    if (graph.degree(id) + 1 == peers && graph.edges().size() + 1 == peers) return id;
  return std::nullopt;
}

template <class Scalar>
class HubCheck {
 public:
  explicit HubCheck(Experiment<Scalar>& experiment)
      : experiment_(experiment),
        method_(*experiment.method),
        options_(experiment.settings.algorithm.options) {}

  void run() {
    check_direction("algorithm.compressor", experiment_.settings.algorithm.compressor, method_.compressor,
                    options_.find(option::memory_step), "memory_step");
    if (options_.has(option::down_compressor))
      check_direction("algorithm.down_compressor", options_[option::down_compressor], method_.down_compressor,
                      options_.find(option::down_memory_step), "down_memory_step");
    check_centre();
    check_batch();
    check_dense_rounds();
    check_rank();
    check_adam_step();
    check_predictors();
  }

 private:
  /// Warns of a file of a star around another peer than the hub: it is a tree of one group.
  void check_centre() {
    const std::filesystem::path& file = experiment_.settings.topology.file;
    const std::optional<PeerId> centre = centre_of(experiment_.topology.graph);
    if (file.empty() || !centre || is_star_around_hub(experiment_.topology.graph)) return;
    experiment_.warnings.push_back("topology.file = " + file.string() + ": peer " + std::to_string(*centre) +
                                   " stands between the hub, peer 0, and all others, so everything is sent "
                                   "twice; expected the middle of "
                                   "the star first, if it is to be the hub");
  }

  /// Warns of a censor that minibatches would defeat.
  void check_batch() {
    const std::optional<std::uint64_t>& batch = experiment_.settings.algorithm.batch;
    if (options_.has(option::threshold) && options_[option::threshold] != "0" && batch)
      experiment_.warnings.push_back("algorithm.batch = " + std::to_string(*batch) +
                                     ": the noise of minibatches is a "
                                     "change, too, so " +
                                     method_.name +
                                     "'s workers hardly ever stay silent; expected "
                                     "\"full\"");
  }

  /// Warns of a run that ends before it begins to compress.
  void check_dense_rounds() {
    if (options_.has(option::dense_rounds) && options_[option::dense_rounds] >= experiment_.iterations)
      experiment_.warnings.push_back(
          "algorithm.dense_rounds = " + std::to_string(options_[option::dense_rounds]) +
          ": the run ends before it compresses anything; expected fewer than " +
          std::to_string(experiment_.iterations));
  }

  /// Warns of a rank that is more than can be learned.
  void check_rank() {
    if (options_.find(option::dense_rounds).value_or(0) == 0 ||
        options_.find(option::rank) <= method_.options.find(option::rank))
      return;
    const std::uint64_t gradients = KeptGradients<Scalar>::count_after(
        options_[option::dense_rounds], experiment_.settings.topology.workers());
    const std::uint64_t most =
        std::min(gradients, static_cast<std::uint64_t>(experiment_.problem.dimension()));
    if (options_[option::rank] > most)
      experiment_.warnings.push_back("algorithm.rank = " + std::to_string(options_[option::rank]) +
                                     ": the basis has " + std::to_string(most) +
                                     " directions, one for every gradient that is kept, and no more than the "
                                     "model has parameters; expected at most " +
                                     std::to_string(most));
  }

  /// Warns of a long step of CD-Adam: measured on a9a, its compressed runs blow up for hundreds of rounds
  /// from 0.03 on, at a tenth of what it takes uncompressed.
  void check_adam_step() {
    constexpr double longest = 0.02;
    const RunSettings::Algorithm& algorithm = experiment_.settings.algorithm;
    const bool lossy =
        algorithm.compressor != "none" || options_.find(option::down_compressor).value_or("none") != "none";
    if (method_.name == "cd-adam" && lossy && algorithm.step_size > longest &&
        options_.find(option::optimizer).value_or("").starts_with("a"))
      experiment_.warnings.push_back(
          "algorithm.step_size = " + number_text(algorithm.step_size) +
          ": with compression cd-adam takes about a tenth of the steps that it takes "
          "without; expected 0.01, or to watch the loss");
  }

  /// Warns of a compressor of which no cost is known before it draws. Throws Misuse for quantizers to choose
  /// from where all would be the same.
  void check_predictors() {
    const std::string& compressor = experiment_.settings.algorithm.compressor;
    if (!options_.has(option::predictors)) return;
    const auto made = make_compressor<Scalar>(compressor, {});
    const auto* rounding = dynamic_cast<const RoundingCompressor<Scalar>*>(made.get());
    const Scalar zero = 0;
    const bool costs_are_known = rounding != nullptr && !rounding->brackets({&zero, 1}).empty();
    const bool has_grid = made->traits(1).absolute_error_per_coordinate.value_or(0.0) > 0.0;
    if (options_.find(option::quantizers).value_or(1) > 1 && !(costs_are_known && has_grid))
      throw Misuse("algorithm.quantizers", std::to_string(options_[option::quantizers]),
                   compressor +
                       " rounds to no grid of its own that could be coarser; expected 1, or a grid as the "
                       "compressor, such as grid(0.01) | entropy");
    if (costs_are_known || compressor == "none") return;
    experiment_.warnings.push_back(
        compressor + ": it does not round each coordinate by itself, so " + method_.name +
        " cannot tell which predictor is the cheapest, and takes the first; "
        "expected grid(0.01) | entropy, or another without selector and transform");
  }

  void check_direction(const std::string& key, const std::string& compressor, CompressorNeed need,
                       const std::optional<std::string>& memory_step, const std::string& memory_key) {
    const std::string who =
        key == "algorithm.compressor" ? method_.name + "'s workers" : method_.name + "'s hub";
    const Traits traits = measured_traits(
        *make_compressor<Scalar>(compressor, experiment_.problem.objectives.front()->segments()),
        static_cast<std::size_t>(experiment_.problem.dimension()));
    if (need == CompressorNeed::none && compressor != "none")
      throw Misuse(key, compressor,
                   who + (who.ends_with("hub") ? " sends" : " send") +
                       " full precision; expected none, or another method");
    if (need == CompressorNeed::unbiased && !(traits.unbiased && std::isfinite(traits.omega)))
      unsound(key, compressor,
              traits.unbiased ? "its relative variance is not bounded, and the steps of " + method_.name +
                                    " shrink; expected dither(linf, levels=7, bucket=512), or another with a "
                                    "relative error"
                              : who + (who.ends_with("hub") ? " needs" : " need") +
                                    " an unbiased compressor, such as dither(linf, levels=7, bucket=512): a "
                                    "bias moves the limit");
    // The error of a hub's workers may be relative, too.
    if (need == CompressorNeed::absolute && !traits.unbiased)
      unsound(key, compressor,
              who + " need an unbiased compressor, such as grid(0.01) | entropy: a bias moves the limit");
    if (need == CompressorNeed::contracting) check_contracting(key, compressor, traits);
    if (memory_step && need == CompressorNeed::unbiased && traits.unbiased)
      check_memory(memory_key, *memory_step, traits);
  }

  /// What a message leaves out is sent later, so it has to shrink.
  void check_contracting(const std::string& key, const std::string& compressor, const Traits& traits) {
    if (traits.contraction || traits.absolute_error_per_coordinate) return;
    if (!traits.unbiased)
      experiment_.warnings.push_back(compressor +
                                     ": how far it contracts depends on the data, so nothing is "
                                     "promised of " +
                                     method_.name + " with it; watch the loss");
    else if (traits.omega_typical >= 1.0)
      unsound(
          key, compressor,
          "its relative variance is " + three_digits(traits.omega_typical) +
              " on Gaussian data, and with 1 or more the error that is sent later piles up; expected scale{" +
              compressor + "}");
    else if (traits.omega >= 1.0)
      experiment_.warnings.push_back(
          compressor + ": relative variance " + three_digits(traits.omega_typical) +
          " on Gaussian data, but up to " + three_digits(traits.omega) +
          " in the worst case; with 1 or more the error that is sent later piles up, "
          "and scale{...} rules it out");
  }

  void check_memory(const std::string& key, const std::string& step, const Traits& traits) {
    const double alpha = parse_memory_step(key, step);
    const double most = 1.0 / (1.0 + traits.omega);
    if (alpha <= most * (1.0 + 1e-12)) return;
    const double typical = 1.0 / (1.0 + traits.omega_typical);
    if (alpha > typical)
      unsound("algorithm." + key, step,
              "the memories follow noise where alpha is more than 1 / (1 + omega), which is " +
                  three_digits(typical) +
                  " on Gaussian data with this compressor; expected auto, or at most that");
    else
      experiment_.warnings.push_back("algorithm." + key + " = " + step +
                                     ": in the worst case memories settle "
                                     "only for at most " +
                                     three_digits(most) + " with this compressor");
  }

  void unsound(const std::string& key, const std::string& value, const std::string& expectation) {
    refuse_unless_allowed(experiment_.settings, {key, value, expectation}, experiment_.warnings);
  }

  Experiment<Scalar>& experiment_;
  const MethodInfo& method_;
  const MethodOptions& options_;
};

/// Says what a topology file would have to hold. Peers of GraphML and DOT are numbered by name.
std::string file_of_star(const std::filesystem::path& file, const Graph& graph) {
  const std::optional<PeerId> centre = centre_of(graph);
  const bool toml = file.extension() == ".toml";
  return std::string(toml ? "family = \"star\", or links from the first peer"
                          : "links from the first peer by name") +
         " to all others" + (centre ? ", not from peer " + std::to_string(*centre) : "");
}

/// Throws Misuse for what the groups of a tree cannot do: a head does not know who of its group is late or
/// lost, and the hub counts all of them.
void require_patience_on_tree(const RunSettings& settings) {
  const std::string why = "the heads of a tree's groups wait for all that take part; expected ";
  const TopologySettings& topology = settings.topology;
  if (topology.rounds_close())
    throw Misuse("topology.round_deadline", to_text(topology.round_deadline), why + "0 s, or a star");
  if (settings.failure.drops()) throw Misuse("failure.policy", "\"drop\"", why + "\"wait\", or a star");
}

}  // namespace

void require_star(const RunSettings& settings, const Graph& graph) {
  const TopologySettings& topology = settings.topology;
  const std::string& method = settings.algorithm.kind;
  if (topology.schedule != "static")
    throw Misuse("topology.schedule", topology.schedule,
                 method + " has a hub, which every worker of a round talks to; expected \"static\"");
  if (is_star_around_hub(graph)) return;
  const bool permits_tree = find_method(method).permits_tree;
  if (permits_tree && is_hub_tree(graph)) return require_patience_on_tree(settings);
  const std::string others =
      is_hub_tree(graph)
          ? "one of " + methods_that([](const MethodInfo& other) { return other.permits_tree; })
          : "a method without a hub, such as choco-sgd";
  const bool of_file = !topology.file.empty();
  throw Misuse(of_file ? "topology.file" : "topology.kind", of_file ? topology.file.string() : topology.kind,
               method + " has a hub, peer 0, that every other peer is linked with, " +
                   (permits_tree ? "itself or through one other" : "and with nobody else") + "; expected " +
                   (of_file ? file_of_star(topology.file, graph) : "\"star\"") +
                   (permits_tree ? ", a tree of two levels (\"hub-tree(2)\")" : "") + ", or " + others);
}

template <class Scalar>
void check_hub(Experiment<Scalar>& experiment) {
  HubCheck<Scalar>(experiment).run();
}

template void check_hub<float>(Experiment<float>&);
template void check_hub<double>(Experiment<double>&);

}  // namespace hearsay
