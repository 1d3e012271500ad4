#include "runtime/experiment/run_agreement.hpp"

#include <xxhash.h>

#include "runtime/foundation/digest.hpp"
#include "runtime/settings/evaluate_every.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

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
  for (const OptionKey& key : option_keys())
    agreement.settings.push_back(
        {"algorithm." + key.name, key.set_in(algorithm.options) ? key.text(algorithm.options) : "unset"});
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
  for (const AgreedSetting& setting : agreement.settings)
    if (!is_agreeable(setting.value))
      throw Misuse(setting.key, setting.value.substr(0, 40),
                   "expected at most 1024 bytes without control characters");
  return agreement;
}

template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment) {
  const Problem<Scalar>& problem = experiment.problem;
  return make_agreement(experiment.settings,
                        {.dimension = static_cast<std::uint64_t>(problem.dimension()),
                         .model_digest = problem.model_digest,
                         .data_digest = problem.at_home ? std::nullopt : std::optional(problem.data_digest)},
                        topology_digest(experiment.schedule->whole()));
}

template Agreement agreement_of<float>(const Experiment<float>&);
template Agreement agreement_of<double>(const Experiment<double>&);

}  // namespace hearsay
