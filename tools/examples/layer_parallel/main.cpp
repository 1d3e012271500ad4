// Trains a residual network in stages, one a peer of a path, and shows how it comes along.
//
//     layer_parallel [processes] [blocks=8] [width=16] [step=0.5] FILE [KEY=VALUE ...]
//
// FILE is a run file. Without data.source the data are two spirals. network.compute is the time of a gradient
// of the whole network: a stage takes its share. `processes`: real processes over ZeroMQ, not virtual time.

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tools/examples/layer_parallel/layer_parallel.hpp"
#include "tools/examples/layer_parallel/spirals.hpp"
#include "tools/examples/layer_parallel/stage_objective.hpp"

namespace {

using namespace hearsay;
using namespace hearsay::layer_parallel;

/// What the command line says beside the run file.
struct Choices {
  bool processes = false;
  Index blocks = 8;
  Index width = 16;
  double step = 0.5;
};

template <class Scalar>
struct Data {
  std::shared_ptr<const Samples<Scalar>> train;
  std::shared_ptr<const Samples<Scalar>> judged;
  bool judged_are_test = false;
};

/// Loads the data of the run file as any run would, and takes them from the objectives that were made.
template <class Scalar>
Data<Scalar> data_of(RunSettings settings) {
  if (settings.data.source == RunSettings{}.data.source)
    return {
        .train = std::make_shared<Samples<Scalar>>(two_spirals<Scalar>(400, 0.03, settings.run.seed)),
        .judged = std::make_shared<Samples<Scalar>>(two_spirals<Scalar>(400, 0.03, settings.run.seed + 1)),
        .judged_are_test = true};
  settings.algorithm = {};
  settings.algorithm.kind = "allreduce-sgd";
  settings.topology.peers = 1;
  settings.peer_networks.clear();
  settings.link_overrides.clear();
  settings.links_file.clear();
  settings.pair_links.clear();
  const Experiment<Scalar> loaded = prepare<Scalar>(settings);
  const auto table_of = [](const Objective<Scalar>* objective) {
    const auto* of_samples = dynamic_cast<const SampleObjective<Scalar>*>(objective);
    if (!of_samples) throw Misuse("model.kind", "", "expected a model of samples, such as softmax");
    return of_samples->shard().samples;
  };
  return {.train = table_of(loaded.problem.objectives.front().get()),
          .judged = table_of(loaded.problem.judge.get()),
          .judged_are_test = loaded.problem.judged.are_test};
}

template <class Scalar>
int train(RunSettings settings, const Choices& choices) {
  const Data<Scalar> data = data_of<Scalar>(settings);
  const Shape shape{.features = data.train->feature_count(),
                    .width = choices.width,
                    .blocks = choices.blocks,
                    .classes = static_cast<Index>(data.train->class_count),
                    .step = choices.step};
  const PeerId peers = settings.topology.peers;
  const auto stages = std::make_shared<Stages>(shape, peers, data.train->count());
  const WholeNetwork<Scalar> network(shape, data.train);

  settings.algorithm.batch.reset();  // lambda belongs to the samples: every gradient is of all of them
  settings.run.keep_models.every = settings.run.evaluate_every;
  if (settings.network.compute.kind == ComputeTime::Kind::measured)
    throw Misuse("network.compute", "measured", "expected the time of a gradient of the whole network");
  settings.network.compute.median /= peers;
  const auto experiment = prepare(settings, staged_problem<Scalar>(stages, data.train, data.judged,
                                                                   data.judged_are_test, settings.run.seed));

  Evaluation now;
  RunControl control;
  control.notice = [](const std::string& sentence) { std::cerr << sentence << '\n'; };
  control.on_evaluation = [&](const Evaluation& evaluation) { now = evaluation; };
  control.on_models = [&](const ModelSet& kept) {
    const auto* entries = reinterpret_cast<const Scalar*>(kept.models.front().data());
    const Vector<Scalar> z = Eigen::Map<const Vector<Scalar>>(entries, stages->dimension());
    std::printf("%9llu %10.3f %10.5f %9.4f %11.2e %9.2f\n", static_cast<unsigned long long>(now.iteration),
                now.seconds, network.loss(z), now.accuracy.value_or(0.0),
                violation<Scalar>(*stages, *data.train, z), static_cast<double>(now.bytes_sent) / 1e6);
  };
  std::printf("iteration    seconds       loss  accuracy   violation        MB\n");
  const RunOutcome<Scalar> outcome =
      choices.processes ? run_local(experiment, control)
                        : simulate(experiment, experiment.settings.network.compute.median, control);
  if (came_to_its_end(outcome.status)) return EXIT_SUCCESS;
  std::cerr << outcome.reason << '\n';
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** words) {
  try {
    add_method(layer_parallel_penalty_info());
    add_method(layer_parallel_lagrangian_info());
    Choices choices;
    std::string file;
    std::vector<std::string> assignments;
    for (int k = 1; k < count; ++k) {
      const std::string word = words[k];
      const auto value = [&] { return word.substr(word.find('=') + 1); };
      if (word == "processes")
        choices.processes = true;
      else if (word.starts_with("blocks="))
        choices.blocks = std::stol(value());
      else if (word.starts_with("width="))
        choices.width = std::stol(value());
      else if (word.starts_with("step="))
        choices.step = std::stod(value());
      else if (file.empty())
        file = word;
      else
        assignments.push_back(word);
    }
    if (file.empty()) throw Misuse("expected a run file, such as tools/examples/layer_parallel/spirals.toml");
    const RunSettings settings = load_run_file(file, assignments);
    return settings.run.scalar == ScalarKind::float32 ? train<float>(settings, choices)
                                                      : train<double>(settings, choices);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
