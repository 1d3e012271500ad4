#include "runtime/program/program_problem.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/elsewhere_objective.hpp"
#include "algorithms/objectives/hub_objective.hpp"
#include "algorithms/objectives/model.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/program/program_fleet.hpp"
#include "runtime/program/program_objective.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Throws Misuse for keys that a program leaves nothing to do: it brings its data and its model.
void require_no_other_problem(const RunSettings& settings) {
  const RunSettings::Data no_data;
  const RunSettings::Model no_model;
  const RunSettings::Data& data = settings.data;
  const RunSettings::Model& model = settings.model;
  const auto refuse = [](const std::string& key, const std::string& value) {
    throw Misuse(key, value,
                 "a program (model.kind = \"program\") brings its own data and model; leave it out");
  };
  if (data.source != no_data.source) refuse("data.source", data.source);
  if (data.test != no_data.test) refuse("data.test", data.test);
  if (data.partition != no_data.partition) refuse("data.partition", data.partition);
  if (data.scale) refuse("data.scale", number_text(*data.scale));
  if (data.target) refuse("data.target", *data.target);
  if (data.header) refuse("data.header", *data.header ? "true" : "false");
  if (data.skip) refuse("data.skip", std::to_string(*data.skip));
  if (!data.ignore.empty()) refuse("data.ignore", data.ignore.front());
  if (data.index_base) refuse("data.index_base", std::to_string(*data.index_base));
  if (data.order != no_data.order) refuse("data.order", "shuffled");
  if (data.samples) refuse("data.samples", std::to_string(*data.samples));
  if (model.l1 != 0.0) refuse("model.l1", number_text(model.l1));
  if (model.l2 != 0.0) refuse("model.l2", number_text(model.l2));
  if (model.regularizer != no_model.regularizer) refuse("model.regularizer", model.regularizer);
  if (model.init != no_model.init) refuse("model.init", model.init);
}

/// Returns what a program has to know that makes a step of its own, or scales a part of its gradient: what
/// becomes of a gradient, and whether a question may come again after others.
std::vector<std::pair<std::string, std::string>> settings_for_programs(const RunSettings& settings) {
  const RunSettings::Algorithm& algorithm = settings.algorithm;
  std::vector<std::pair<std::string, std::string>> told = {{"algorithm.kind", algorithm.kind}};
  for (const MethodOptions::Entry& option : resolved_options(algorithm.options, find_method(algorithm.kind)))
    told.emplace_back("algorithm." + option.row->name, option.text());
  if (algorithm.clip) told.emplace_back("algorithm.clip", number_text(*algorithm.clip));
  if (settings.failure.checkpoint_every != 0)
    told.emplace_back("failure.checkpoint_every", std::to_string(settings.failure.checkpoint_every));
  if (settings.failure.checkpoint_period != Duration{0})
    told.emplace_back("failure.checkpoint_every", to_text(settings.failure.checkpoint_period));
  return told;
}

std::shared_ptr<ProgramFleet> start_programs(const RunSettings& settings, const Home& home) {
  const std::size_t peers = settings.topology.peers;
  const auto facts_of = [&](PeerId id) {
    return ProgramFacts{
        .peer = id,
        .peers = peers,
        .seed = settings.run.seed,
        .iterations = settings.run.epochs ? std::nullopt : std::optional(settings.run.iterations),
        .batch = settings.algorithm.batch,
        .settings = settings_for_programs(settings)};
  };
  const Notice tell = home.notice ? home.notice : no_notice;
  const ProgramCare care{.answer_within = settings.model.answer_within,
                         .on_restart = [tell](const std::string& sentence, std::uint64_t) { tell(sentence); },
                         .on_stop = tell,
                         .on_wait = tell};
  if (home.peer && home.program_channel >= 0)
    return std::make_shared<ProgramFleet>(FileDescriptor(home.program_channel), facts_of(*home.peer), care,
                                          largest_dimension);
  if (settings.model.program.empty())
    throw Misuse("model.program", "[]",
                 "expected the command that computes losses and gradients, as in hearsay run FILE -- python3 "
                 "train.py");
  std::vector<ProgramFleet::Plan> plans;
  for (PeerId id = 0; id < peers; ++id)
    if (!home.peer || *home.peer == id)
      plans.push_back({{.words = settings.model.program,
                        .directory = settings.model.directory,
                        .peer = id,
                        .peers = peers},
                       facts_of(id)});
  return std::make_shared<ProgramFleet>(std::move(plans), care, largest_dimension);
}

std::uint64_t layers_digest(const SegmentTable& layers) {
  std::string text;
  for (const Segment& layer : layers)
    text += layer.name + " " + std::to_string(layer.rows) + " " + std::to_string(layer.columns) + "\n";
  return digest(text);
}

/// Returns the first part that two programs do not have alike, in a clause on the other one; empty if none.
std::string first_difference(const std::vector<FixedPart>& first, const std::vector<FixedPart>& other) {
  for (std::size_t k = 0; k < std::max(first.size(), other.size()); ++k) {
    if (k >= other.size()) return "has no " + first[k].name + ", which the first one has";
    if (k >= first.size()) return "has " + other[k].name + ", which the first one has not";
    if (first[k] == other[k]) continue;
    const auto spoken = [](const FixedPart& part) { return part.name + ": " + part.what; };
    return "has " + spoken(other[k]) + ", and the first one " + spoken(first[k]);
  }
  return {};
}

/// Returns a digest; 0 if there are no parts.
std::uint64_t fixed_digest(const std::vector<FixedPart>& fixed) {
  std::string text;
  for (const FixedPart& part : fixed) text += part.name + "\n" + part.what + "\n";
  return fixed.empty() ? 0 : digest(text);
}

/// Throws Misuse unless the program computes the model of the first one, in the scalar of the run.
template <class Scalar>
void require_same_model(const RunSettings& settings, const Program& first, const Program& program,
                        PeerId id) {
  const std::string command = toml_list(settings.model.program);
  const std::string whose = "peer " + std::to_string(id) + "'s";
  constexpr bool wants_float = std::is_same_v<Scalar, float>;
  if ((program.hello().scalar == ScalarKind::float32) != wants_float)
    throw Misuse("run.scalar", wants_float ? "\"float\"" : "\"double\"",
                 "the program computes in " + std::string(wants_float ? "double" : "float") +
                     "; expected the same type at both");
  if (program.hello().dimension != first.hello().dimension)
    throw Misuse("model.program", command,
                 whose + " model has " + std::to_string(program.hello().dimension) +
                     " parameters, and the first one's " + std::to_string(first.hello().dimension) +
                     "; expected the same model at all peers");
  if (program.hello().layers != first.hello().layers)
    throw Misuse(
        "model.program", command,
        whose + " model has other layers than the first one's; expected the same model at all peers");
  if (const std::string difference = first_difference(first.fixed(), program.fixed()); !difference.empty())
    throw Misuse(
        "model.program", command,
        whose + " model " + difference +
            "; expected the same at all peers: whatever its output depends on, beside x and the data");
  if (!std::ranges::equal(program.x(), first.x()))
    throw Misuse("model.program", command,
                 whose +
                     " model begins elsewhere than the first one's; expected the same x_0 at all peers: set "
                     "the seed, torch.manual_seed(1), before the model is made");
}

bool is_hub_without_data(const RunSettings& settings, PeerId id) {
  return id == hub_id && settings.topology.hub == HubData::none;
}

template <class Scalar>
std::unique_ptr<const Objective<Scalar>> objective_of(const RunSettings& settings,
                                                      const std::shared_ptr<Program>& program, PeerId id) {
  if (is_hub_without_data(settings, id)) return std::make_unique<HubProgramObjective<Scalar>>(program);
  return std::make_unique<ProgramObjective<Scalar>>(program);
}

/// The stand-in for the objective of a peer on another host.
template <class Scalar>
std::unique_ptr<const Objective<Scalar>> objective_elsewhere(const RunSettings& settings,
                                                             const SegmentTable& layers, PeerId id) {
  if (is_hub_without_data(settings, id)) return std::make_unique<HubObjective<Scalar>>(layers);
  return std::make_unique<ElsewhereObjective<Scalar>>(layers);
}

/// Returns the first coordinate in which two gradients of the objective, on the same minibatch with the same
/// seed, differ; empty if none does. `once` and `again` return the gradients.
template <class Scalar>
std::optional<Index> differing_coordinate(const Objective<Scalar>& objective, const Vector<Scalar>& initial,
                                          Index batch, Vector<Scalar>& once, Vector<Scalar>& again) {
  std::vector<Index> minibatch(static_cast<std::size_t>(std::min(objective.sample_count(), batch)));
  std::iota(minibatch.begin(), minibatch.end(), Index{0});
  for (Vector<Scalar>* const gradient : {&once, &again})
    objective.minibatch_gradient(initial, {.samples = minibatch, .seed = 1, .iteration = 1}, *gradient);
  if (digest(once) == digest(again)) return std::nullopt;
  Index k = 0;
  while (once[k] == again[k] || (std::isnan(once[k]) && std::isnan(again[k]))) ++k;
  return k;
}

/// Asks the programs here for their first gradient twice. Returns what is wrong if the answers of one differ;
/// else "". If a minibatch is all samples, which takes long, only one program is asked.
template <class Scalar>
std::string doubt_of_repetition(const Problem<Scalar>& problem, const std::optional<std::uint64_t>& batch,
                                const Home& home) {
  const auto most_samples = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  const auto minibatch = static_cast<Index>(std::min(batch.value_or(most_samples), most_samples));
  Vector<Scalar> once(problem.initial.size());
  Vector<Scalar> again(problem.initial.size());
  for (PeerId id = home.peer.value_or(0); id < problem.objectives.size(); ++id) {
    if (!problem.objectives[id]->has_data()) {
      if (home.peer) break;
      continue;
    }
    const std::string whose = "the program of peer " + std::to_string(id);
    try {
      if (const auto k =
              differing_coordinate(*problem.objectives[id], problem.initial, minibatch, once, again))
        return whose + " does not give the same gradient twice (coordinate " + std::to_string(*k) + ": " +
               number_text(static_cast<double>(once[*k])) + ", then " +
               number_text(static_cast<double>(again[*k])) + ")";
    } catch (const ProgramSilence& silence) {
      throw SilentStart(silence.what());
    } catch (const ProgramFailure& failure) {
      throw Misuse(whose + " failed in its first gradient: " + failure.what());
    }
    if (home.peer || !batch) break;
  }
  return "";
}

constexpr const char* repetition_remedy =
    "expected randomness from the seed of the question only; in PyTorch "
    "torch.use_deterministic_algorithms(True), "
    "and one thread";

}  // namespace

template <class Scalar>
Problem<Scalar> program_problem(const RunSettings& settings, const Home& home,
                                std::vector<std::string>& doubts) {
  require_no_other_problem(settings);
  const std::shared_ptr<ProgramFleet> fleet = start_programs(settings, home);
  const auto& programs = fleet->programs();
  const Program& first = *programs.front();
  Problem<Scalar> problem;
  try {
    for (std::size_t k = 0; k < programs.size(); ++k)
      require_same_model<Scalar>(settings, first, *programs[k], home.peer.value_or(static_cast<PeerId>(k)));
    problem.initial.resize(first.hello().dimension);
    std::ranges::copy(first.x(), std::as_writable_bytes(view(problem.initial)).begin());
    if (!problem.initial.allFinite())
      throw Misuse("model.program", toml_list(settings.model.program),
                   "its x_0 holds numbers that are not finite");
    for (PeerId id = 0; id < settings.topology.peers; ++id)
      problem.objectives.push_back(home.has(id)
                                       ? objective_of<Scalar>(settings, programs[home.peer ? 0 : id], id)
                                       : objective_elsewhere<Scalar>(settings, first.hello().layers, id));
    const auto has_none = [](const auto& program) { return program->hello().samples == 0; };
    if (!home.peer && std::ranges::all_of(programs, has_none))
      throw Misuse(
          "model.program", toml_list(settings.model.program),
          "no peer has training samples, so there is nothing to learn; expected samples > 0 at one or more");
    if (home.has(hub_id) && is_hub_without_data(settings, hub_id) && first.hello().samples > 0)
      doubts.push_back("topology.hub = \"dedicated\": the program of peer 0 has " +
                       std::to_string(first.hello().samples) +
                       " samples, and a hub without data is asked for no gradient and no loss; expected 0");
    const std::string doubt = doubt_of_repetition(problem, settings.algorithm.batch, home);
    if (!doubt.empty() && settings.failure.keeps_checkpoints())
      throw Misuse("failure.checkpoint_every", std::to_string(settings.failure.checkpoint_every),
                   doubt + ", so a restored run would differ; " + repetition_remedy +
                       ", or failure.checkpoint_every = 0");
    if (!doubt.empty()) doubts.push_back(doubt + ", so run and simulate will differ; " + repetition_remedy);
  } catch (const Misuse& misuse) {
    fleet->refuse(misuse);
    throw;
  }
  problem.at_home = true;
  problem.model_digest =
      digest(problem.initial) ^ layers_digest(first.hello().layers) ^ fixed_digest(first.fixed());
  problem.regularizer = make_regularizer<Scalar>("none", first.hello().layers);
  problem.say_end = [fleet](int code, const std::string& reason, const std::string& output,
                            std::span<const PeerId> dropped) {
    fleet->say_end({code, reason, output}, dropped);
  };
  problem.program_restarts = [fleet] { return fleet->restarts(); };
  return problem;
}

template Problem<float> program_problem<float>(const RunSettings&, const Home&, std::vector<std::string>&);
template Problem<double> program_problem<double>(const RunSettings&, const Home&, std::vector<std::string>&);

}  // namespace hearsay
