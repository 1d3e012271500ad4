#include "runtime/data/problem_builder.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "algorithms/objectives/least_squares.hpp"
#include "algorithms/objectives/logistic.hpp"
#include "algorithms/objectives/mlp.hpp"
#include "algorithms/objectives/partition.hpp"
#include "algorithms/objectives/quadratic.hpp"
#include "algorithms/objectives/softmax.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "runtime/data/dataset.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/data/npy.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

enum class Kind { quadratic, dense_quadratic, least_squares, logistic, softmax, mlp };

/// model.kind, taken apart.
struct Model {
  Kind kind;
  std::vector<Index> sizes;  ///< the dimension of a quadratic, the hidden layers of an mlp
};

const std::string key = "model.kind";

const Choice choices[] = {
    {"logistic", "", "two classes, log(1 + exp(-y a^T x)); d = features, no intercept"},
    {"softmax", "", "any number of classes, cross entropy of X a; d = classes * features, no intercept"},
    {"least-squares", "", "numeric targets, 1/2 (a^T x - b)^2; d = features, no intercept"},
    {"mlp", "(hidden, ...)", "fully connected layers with biases and ReLU, softmax output; random start"},
    {"quadratic", "(d) or (d, dense)",
     "no data: a seeded quadratic per peer, separable or with a full matrix, and a known minimiser"},
};

/// The arguments as sizes, each at least 1.
std::vector<Index> sizes_of(const std::string& text, const std::vector<std::string>& arguments) {
  std::vector<Index> sizes;
  for (const std::string& argument : arguments) {
    std::uint64_t size = 0;
    if (!parse_whole(argument, size) || size < 1 || size > static_cast<std::uint64_t>(largest_dimension))
      throw Misuse(key, text,
                   argument + " is not a whole number from 1 to " + std::to_string(largest_dimension));
    sizes.push_back(static_cast<Index>(size));
  }
  return sizes;
}

Model parse_model(const std::string& text) {
  Spelling spelling = parse_spelling(key, text);
  auto& arguments = spelling.arguments;
  const std::string& name = find_choice(key, spelling.name, choices).name;
  if (name == "quadratic") {
    const bool dense = arguments.size() == 2 && arguments[1] == "dense";
    if (dense) arguments.pop_back();
    if (arguments.size() != 1) throw Misuse(key, text, "expected quadratic(100) or quadratic(100, dense)");
    const std::vector<Index> sizes = sizes_of(text, arguments);
    if (dense && sizes[0] > 20'000) throw Misuse(key, text, "a dense quadratic has at most 20000 dimensions");
    return {dense ? Kind::dense_quadratic : Kind::quadratic, sizes};
  }
  if (name == "mlp") {
    if (arguments.empty()) throw Misuse(key, text, "expected the sizes of the hidden layers, as in mlp(64)");
    return {Kind::mlp, sizes_of(text, arguments)};
  }
  if (!arguments.empty()) throw Misuse(key, text, name + " takes no arguments");
  return {name == "least-squares" ? Kind::least_squares
          : name == "logistic"    ? Kind::logistic
                                  : Kind::softmax,
          {}};
}

void require_strength(const std::string& name, double strength) {
  if (!(strength >= 0.0) || !std::isfinite(strength))
    throw Misuse(name, number_text(strength), "expected a number that is not negative");
}

/// h: model.l1 is short for model.regularizer = "l1(...)".
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
void require_fitting(const RunSettings& settings, const Model& model, const Samples<Scalar>& samples) {
  if (model.kind == Kind::logistic && samples.class_count != 2)
    throw Misuse(
        "model.kind", settings.model.kind,
        "the data have " + std::to_string(samples.class_count) + " classes; softmax takes more than two");
  const auto features = static_cast<double>(samples.feature_count());
  const double classes = samples.class_count;
  double dimension = model.kind == Kind::softmax ? features * classes : features;
  if (model.kind == Kind::mlp) {
    double inputs = features;
    dimension = 0.0;
    for (const Index outputs : model.sizes) {
      dimension += (inputs + 1.0) * static_cast<double>(outputs);
      inputs = static_cast<double>(outputs);
    }
    dimension += (inputs + 1.0) * classes;
  }
  if (dimension > static_cast<double>(largest_dimension))
    throw Misuse(key, settings.model.kind,
                 number_text(dimension) + " parameters on these data; at most " +
                     std::to_string(largest_dimension) + " are possible");
}

template <class Scalar>
std::unique_ptr<const SampleObjective<Scalar>> make_objective(const Model& model, Shard<Scalar> shard,
                                                              double weight, double l2) {
  switch (model.kind) {
    case Kind::least_squares:
      return std::make_unique<LeastSquares<Scalar>>(std::move(shard), weight, l2);
    case Kind::logistic:
      return std::make_unique<Logistic<Scalar>>(std::move(shard), weight, l2);
    case Kind::softmax:
      return std::make_unique<Softmax<Scalar>>(shard, weight, l2);
    default:
      return std::make_unique<Mlp<Scalar>>(std::move(shard), model.sizes, weight, l2);
  }
}

template <class Scalar>
Shard<Scalar> whole(std::shared_ptr<const Samples<Scalar>> samples) {
  std::vector<Index> rows(static_cast<std::size_t>(samples->count()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return {std::move(samples), std::move(rows)};
}

template <class Scalar>
Problem<Scalar> sample_problem(const RunSettings& settings, const Model& model) {
  const auto [train, test] =
      load_data<Scalar>(settings.data, model.kind != Kind::least_squares, settings.run.seed);
  require_fitting(settings, model, *train);
  const std::size_t peers = settings.topology.peers;
  const std::vector<double> targets(train->targets.begin(), train->targets.end());
  auto parts = partition(settings.data.partition, targets, train->class_count, peers, settings.run.seed);

  Problem<Scalar> problem;
  problem.data_digest = digest(*train);
  const double weight = static_cast<double>(peers) / static_cast<double>(train->count());
  for (auto& rows : parts)
    problem.objectives.push_back(
        make_objective<Scalar>(model, {train, std::move(rows)}, weight, settings.model.l2));
  if (model.kind == Kind::mlp)
    problem.initial =
        Mlp<Scalar>({train, {}}, model.sizes, weight, settings.model.l2).initial(settings.run.seed);
  else
    problem.initial = Vector<Scalar>::Zero(problem.dimension());
  if (train->class_count > 0) {
    std::shared_ptr<const SampleObjective<Scalar>> judge =
        make_objective<Scalar>(model, whole<Scalar>(test ? test : train), 1.0, 0.0);
    problem.accuracy = [judge](const Vector<Scalar>& x) { return judge->accuracy(x); };
  }
  return problem;
}

template <class Scalar>
Vector<Scalar> load_initial(const std::string& file, Index dimension) {
  Vector<Scalar> x = read_npy<Scalar>(file).values;
  if (x.size() != dimension)
    throw Misuse("model.init", file,
                 std::to_string(x.size()) + " numbers, where the model has " + std::to_string(dimension));
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
  const double l2 = settings.model.l2;
  Problem<Scalar> problem = model.kind == Kind::quadratic
                                ? separable_quadratics<Scalar>(model.sizes[0], peers, l2, settings.run.seed)
                            : model.kind == Kind::dense_quadratic
                                ? dense_quadratics<Scalar>(model.sizes[0], peers, l2, settings.run.seed)
                                : sample_problem<Scalar>(settings, model);
  if (settings.model.init != "zeros")
    problem.initial = load_initial<Scalar>(settings.model.init, problem.dimension());
  problem.data_digest ^= digest(problem.initial);
  problem.regularizer = make_regularizer<Scalar>(regularizer, problem.objectives.front()->segments());
  return problem;
}

std::span<const Choice> model_choices() { return choices; }

template Problem<float> build_problem<float>(const RunSettings&);
template Problem<double> build_problem<double>(const RunSettings&);

}  // namespace hearsay
