#include "runtime/experiment/run_agreement.hpp"

#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "algorithms/methods/registry.hpp"
#include "runtime/data/dataset.hpp"
#include "runtime/experiment/agreed_options.hpp"
#include "runtime/experiment/longest_payload.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/text_bytes.hpp"
#include "runtime/network/link.hpp"
#include "runtime/settings/evaluate_every.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/long_message.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// Methods whose messages left in another order, or otherwise divided, in earlier versions: peers and
/// checkpoints of those do not fit. The number grows with each such change.
constexpr std::pair<std::string_view, const char*> changed_messages[] = {
    {"beer", "2"}, {"c-gt", "2"}, {"k-gt", "2"}, {"noloco", "2"}};

/// Returns a digest of the edges and weights of every round in which all take part. Who does is agreed upon
/// by the seed and the share.
std::uint64_t topology_digest(const Schedule& schedule) {
  std::uint64_t digest = schedule.peer_count();
  for (std::uint64_t round = 0; round < *schedule.period(); ++round)
    for (PeerId id = 0; id < schedule.peer_count(); ++id)
      for (const WeightedNeighbor& neighbor : schedule.row(id, round).hears) {
        const double entry[] = {static_cast<double>(id), static_cast<double>(neighbor.id), neighbor.weight};
        digest = XXH3_64bits_withSeed(entry, sizeof entry, digest);
      }
  return digest;
}

/// Returns the name as a value of the agreement: its first 80 bytes, safe on a terminal.
std::string short_name(const std::string& name) {
  constexpr std::size_t most = 80;
  std::string text = printable(name);
  std::size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

/// Returns the keys that say what the numbers in the files of peers with data at home mean, where nothing in
/// the files says it. Only files of one kind are compared: pixels are divided by 255 by themselves, so those
/// in a CSV file may need a factor that an IDX file does without.
std::vector<AgreedSetting> meaning_of_numbers(const RunSettings::Data& data, const DataNames& names) {
  const std::string format = data.source.substr(0, data.source.find(':'));
  const bool are_pixels = format == "idx" || format == "cifar10";
  std::vector<AgreedSetting> keys = {
      {are_pixels ? "data.scale of pixels" : "data.scale", toml_number(data.scale.value_or(1.0))}};
  if (format == "libsvm") keys.push_back({"data.index_base", std::to_string(data.index_base.value_or(1))});
  if (format == "csv" && names.features.empty())  // a header says more
    keys.push_back({"data.target", short_name(data.target.value_or("last"))});
  return keys;
}

/// Returns what peers with data at home compare of their files: the names of the first features, one by one,
/// so that a refusal says which one differs, and of all together; then what the numbers mean.
std::vector<AgreedSetting> named_data(const RunSettings::Data& data, const DataNames& names) {
  constexpr std::size_t most_features = 64;
  std::vector<AgreedSetting> named;
  if (!names.features.empty()) {
    std::uint64_t all = digest(names.target);
    for (std::size_t k = 0; k < names.features.size(); ++k) {
      const std::string& name = names.features[k];
      all = XXH3_64bits_withSeed(name.data(), name.size(), all);
      if (k < most_features)
        named.push_back({"feature " + std::to_string(k + 1) + " of data.source", short_name(name)});
    }
    named.push_back({"target of data.source", short_name(names.target)});
    named.push_back({"features of data.source (digest of their names)", hexadecimal(all)});
  }
  std::ranges::copy(meaning_of_numbers(data, names), std::back_inserter(named));
  if (!names.labels.empty()) {
    constexpr std::size_t most_bytes = 200;
    const bool are_many = names.labels.size() > most_bytes;
    named.push_back({"labels of data.source", names.labels.substr(0, most_bytes) + (are_many ? "..." : "")});
  }
  return named;
}

/// Returns what peers compare of how they go on after a failure. It decides which checkpoints they have in
/// common and whether a loss ends the run, but nothing that they compute: all of them may resume the run with
/// other values. How long a peer waits is its own affair, unless it expects more heartbeats than others send.
std::vector<AgreedSetting> ways_of_failure(const RunSettings::Failure& failure) {
  const bool by_time = failure.checkpoint_period != Duration{0};
  return {{"failure.policy", failure.drops() ? "drop" : "wait"},
          {"failure.checkpoint_every",
           by_time ? to_text(failure.checkpoint_period) : std::to_string(failure.checkpoint_every)},
          {"time between heartbeats (failure.lost_after / 5, 2 s at most)",
           to_text(heartbeat_interval(failure.lost_after))}};
}

}  // namespace

Agreement make_agreement(const RunSettings& settings, const AgreedProblem& problem,
                         std::uint64_t topology_digest) {
  const RunSettings::Run& run = settings.run;
  const RunSettings::Algorithm& algorithm = settings.algorithm;
  const RunSettings::Model& model = settings.model;
  Agreement agreement{{
      {"protocol", std::to_string(wire_version)},
      {"algorithm.kind", algorithm.kind},
      {"algorithm.compressor", algorithm.compressor.empty() ? "the method's default" : algorithm.compressor},
      {"algorithm.step_size", toml_number(algorithm.step_size)},
      {"algorithm.step_schedule", algorithm.step_schedule},
      {"algorithm.warm_up", std::to_string(algorithm.warm_up)},
      {"algorithm.batch", algorithm.batch ? std::to_string(*algorithm.batch) : "full"},
      {"run.seed", std::to_string(run.seed)},
      {"run.scalar", run.scalar == ScalarKind::float32 ? "float" : "double"},
      {"run.evaluate_every", evaluate_every_text(run)},
      {"run.target_loss", run.target_loss ? toml_number(*run.target_loss) : "none"},
      {"model dimension", std::to_string(problem.dimension)},
      {"model.kind", model.kind},
      {"model.l1", toml_number(model.l1)},
      {"model.l2", toml_number(model.l2)},
      {"model.regularizer", model.regularizer},
      {"model.init", model.init == "zeros" ? "zeros" : "a file"},
      {"model (digest of the initial parameters and layers)", hexadecimal(problem.model_digest)},
      {"data (digest of samples and labels)",
       problem.data_digest ? hexadecimal(*problem.data_digest) : "at home"},
      {"data.partition", settings.data.partition},
      {"topology.peers", std::to_string(settings.topology.peers)},
      {"topology (digest of links and weights)", hexadecimal(topology_digest)},
      {"topology.schedule", settings.topology.schedule},
      {"topology.participation", toml_number(settings.topology.participation)},
  }};
  if (!settings.failure.join_later.empty()) {  // they determine the weights of the first iteration
    std::string ids;
    for (const PeerId id : settings.failure.join_later) ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    agreement.settings.push_back({"failure.join_later", ids});
  }
  if (settings.failure.hub_standby)
    agreement.settings.push_back({"failure.hub_standby", std::to_string(*settings.failure.hub_standby)});
  for (AgreedSetting& option : agreed_options(algorithm.options, find_method(algorithm.kind)))
    agreement.settings.push_back(std::move(option));
  for (const auto& [method, version] : changed_messages)
    if (algorithm.kind == method) agreement.settings.push_back({"version of the messages", version});
  if (algorithm.clip) agreement.settings.push_back({"algorithm.clip", toml_number(*algorithm.clip)});
  if (run.patience) {
    agreement.settings.push_back({"run.patience", std::to_string(*run.patience)});
    agreement.settings.push_back({"run.min_improvement", toml_number(run.min_improvement)});
  }
  if (settings.data.order == RunSettings::Data::Order::shuffled)
    agreement.settings.push_back({"data.order", "shuffled"});
  if (settings.data.samples)
    agreement.settings.push_back({"data.samples", std::to_string(*settings.data.samples)});
  if (run.evaluate == RunSettings::Run::Evaluate::own) agreement.settings.push_back({"run.evaluate", "own"});
  if (settings.topology.hub == HubData::none) agreement.settings.push_back({"topology.hub", "dedicated"});
  if (settings.topology.rounds_close())
    agreement.settings.push_back({"topology.round_deadline", to_text(settings.topology.round_deadline)});
  // What is held out is trained on by nobody. A test file leaves all samples of data.source to train on.
  if (const auto percent = held_out_percent(settings.data.test); percent && problem.data_digest)
    agreement.settings.push_back({"data.test", toml_number(*percent) + "%"});
  if (problem.has_long_messages) {
    agreement.settings.push_back(
        {"bytes of a piece of a message", std::to_string(to_neighbor::usual_piece_bytes)});
    // Earlier versions do not permit pieces, so a sender would wait for ever.
    agreement.settings.push_back({"pieces that leave unasked", std::to_string(to_neighbor::pieces_at_once)});
    agreement.settings.push_back({"network", is_emulated(settings) ? "emulated" : "real"});
  }
  for (const AgreedSetting& setting : agreement.settings)
    if (!is_agreeable(setting.value))
      throw Misuse(setting.key, setting.value.substr(0, 40),
                   "expected at most 1024 bytes without control characters");
  if (!problem.data_digest && !has_programs(settings))
    agreement.statements = named_data(settings.data, problem.names);
  if (problem.home_samples)
    agreement.statements.push_back(
        {home_samples_key(problem.home_samples->first), std::to_string(problem.home_samples->second)});
  std::ranges::copy(ways_of_failure(settings.failure), std::back_inserter(agreement.statements));
  if (!problem.build.empty()) {
    const bool any = run.builds == RunSettings::Run::Builds::any;
    agreement.statements.push_back({builds_key, any ? any_builds : "same"});
    agreement.statements.push_back({build_key, problem.build});
  }
  return agreement;
}

/// Returns the peer whose data are at home here, if it is one alone and weighs as its samples do.
template <class Scalar>
std::optional<std::pair<PeerId, std::uint64_t>> home_samples_of(const Experiment<Scalar>& experiment) {
  if (!experiment.problem.at_home || !experiment.settings.data.samples) return std::nullopt;
  std::optional<std::pair<PeerId, std::uint64_t>> found;
  for (PeerId id = 0; id < experiment.problem.objectives.size(); ++id) {
    const auto samples = static_cast<std::uint64_t>(experiment.problem.objectives[id]->sample_count());
    if (samples == 0) continue;
    if (found) return std::nullopt;
    found = {id, samples};
  }
  return found;
}

template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment) {
  const Problem<Scalar>& problem = experiment.problem;
  return make_agreement(
      experiment.settings,
      {.dimension = static_cast<std::uint64_t>(problem.dimension()),
       .model_digest = problem.model_digest,
       .data_digest = problem.at_home ? std::nullopt : std::optional(problem.data_digest),
       .names = problem.names,
       .home_samples = home_samples_of(experiment),
       .has_long_messages = longest_payload_bytes(experiment) > to_neighbor::usual_piece_bytes,
       .build = experiment.build},
      topology_digest(experiment.schedule->whole()));
}

template Agreement agreement_of<float>(const Experiment<float>&);
template Agreement agreement_of<double>(const Experiment<double>&);

}  // namespace hearsay
