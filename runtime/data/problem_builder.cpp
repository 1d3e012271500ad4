#include "runtime/data/problem_builder.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "algorithms/objectives/partition.hpp"
#include "algorithms/objectives/registry.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "runtime/data/dataset.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/foundation/digest.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

void require_strength(const std::string& name, double strength) {
  if (!(strength >= 0.0) || !std::isfinite(strength))
    throw Misuse(name, number_text(strength), "expected a number that is not negative");
}

/// The regularizer h; model.l1 is short for model.regularizer = "l1(...)".
std::string regularizer_of(const RunSettings::Model& model) {
  require_strength("model.l1", model.l1);
  require_strength("model.l2", model.l2);
  if (model.l1 == 0.0) return model.regularizer;
  if (model.regularizer != "none")
    throw Misuse("model.l1", number_text(model.l1),
                 "model.regularizer = " + model.regularizer + " is set, too; expected one of them");
  return "l1(" + number_text(model.l1) + ")";
}

template <class Scalar>
void require_fitting(const std::string& kind, const SampleModel& model, const ModelShape& shape,
                     const Samples<Scalar>& samples) {
  if (model.targets == Targets::two_classes && samples.class_count != 2)
    throw Misuse(
        "model.kind", kind,
        "the data have " + std::to_string(samples.class_count) + " classes; softmax takes more than two");
  const double dimension =
      model.dimension(shape, static_cast<double>(samples.feature_count()), samples.class_count);
  if (dimension > static_cast<double>(largest_dimension))
    throw Misuse("model.kind", kind,
                 number_text(dimension) + " parameters on these data; at most " +
                     std::to_string(largest_dimension) + " are possible");
}

template <class Scalar>
Shard<Scalar> whole(std::shared_ptr<const Samples<Scalar>> samples) {
  std::vector<Index> rows(static_cast<std::size_t>(samples->count()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return {std::move(samples), std::move(rows)};
}

template <class Scalar>
Problem<Scalar> sample_problem(const RunSettings& settings, const SampleModel& model,
                               const ModelShape& shape) {
  const auto [train, test] =
      load_data<Scalar>(settings.data, model.targets != Targets::numbers, settings.run.seed);
  require_fitting(settings.model.kind, model, shape, *train);
  const std::size_t peers = settings.topology.peers;
  const std::vector<double> targets(train->targets.begin(), train->targets.end());
  auto parts = partition(settings.data.partition, targets, train->class_count, peers, settings.run.seed);

  Problem<Scalar> problem;
  problem.data_digest = digest(*train);
  const double weight = static_cast<double>(peers) / static_cast<double>(train->count());
  const double l2 = settings.model.l2;
  for (auto& rows : parts)
    problem.objectives.push_back(model.make<Scalar>(shape, {train, std::move(rows)}, weight, l2));
  problem.initial = model.make<Scalar>(shape, {train, {}}, weight, l2)->initial(settings.run.seed);
  if (train->class_count > 0) {
    const auto& judged = test ? test : train;
    std::shared_ptr<const SampleObjective<Scalar>> judge =
        model.make<Scalar>(shape, whole<Scalar>(judged), 1.0, 0.0);
    problem.accuracy = [judge](const Vector<Scalar>& x) { return judge->accuracy(x); };
    problem.judged = {.are_test = test != nullptr, .count = judged->count()};
  }
  return problem;
}

template <class Scalar>
Vector<Scalar> load_initial(const std::string& file, Index dimension) {
  std::error_code error;
  if (std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found)
    throw Misuse("model.init", file, "there is no such file");
  Vector<Scalar> x = read_npy<Scalar>(file).values;
  if (x.size() != dimension)
    throw Misuse("model.init", file,
                 std::to_string(x.size()) + " numbers; the model has " + std::to_string(dimension));
  if (!x.allFinite()) throw Misuse("model.init", file, "it holds numbers that are not finite");
  return x;
}

}  // namespace

template <class Scalar>
Problem<Scalar> build_problem(const RunSettings& settings) {
  const Model model = parse_model(settings.model.kind);
  const std::string regularizer = regularizer_of(settings.model);
  const std::size_t peers = settings.topology.peers;
  if (peers == 0) throw Misuse("topology.peers", "0", "expected at least one peer");
  const auto* seeded = std::get_if<SeededModel>(&model.info->make);
  Problem<Scalar> problem =
      seeded ? seeded->make<Scalar>(model.shape, peers, settings.model.l2, settings.run.seed)
             : sample_problem<Scalar>(settings, std::get<SampleModel>(model.info->make), model.shape);
  if (settings.model.init != "zeros")
    problem.initial = load_initial<Scalar>(settings.model.init, problem.dimension());
  problem.data_digest ^= digest(problem.initial);
  problem.regularizer = make_regularizer<Scalar>(regularizer, problem.objectives.front()->segments());
  return problem;
}

bool learns_from_samples(const RunSettings& settings) {
  return std::holds_alternative<SampleModel>(parse_model(settings.model.kind).info->make);
}

template Problem<float> build_problem<float>(const RunSettings&);
template Problem<double> build_problem<double>(const RunSettings&);

}  // namespace hearsay
