#pragma once

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/least_squares.hpp"
#include "algorithms/objectives/logistic.hpp"
#include "algorithms/objectives/mlp.hpp"
#include "algorithms/objectives/registry.hpp"
#include "algorithms/objectives/softmax.hpp"

namespace hearsay::test {

/// Returns random samples, dense or sparse, with the same numbers in both forms. About a third of the
/// features are 0; all numbers are exact in float.
template <class Scalar>
std::shared_ptr<const Samples<Scalar>> random_samples(Index count, Index features, std::uint32_t classes,
                                                      bool sparse, std::uint64_t seed = 7) {
  RandomStream stream(seed, 0, 0, Purpose::data);
  DenseRows<Scalar> dense(count, features);
  SparseRows<Scalar> compressed;
  compressed.columns = features;
  std::vector<Scalar> targets;
  for (Index s = 0; s < count; ++s) {
    for (Index k = 0; k < features; ++k) {
      const float value = stream.below(3) == 0 ? 0.0F : static_cast<float>(stream.normal());
      dense(s, k) = static_cast<Scalar>(value);
      if (value == 0.0F) continue;
      compressed.column.push_back(static_cast<std::int32_t>(k));
      compressed.value.push_back(static_cast<Scalar>(value));
    }
    compressed.row_begin.push_back(static_cast<Index>(compressed.column.size()));
    targets.push_back(classes == 0 ? static_cast<Scalar>(static_cast<float>(stream.normal()))
                                   : static_cast<Scalar>(stream.below(classes)));
  }
  auto samples = std::make_shared<Samples<Scalar>>();
  if (sparse)
    samples->features = std::move(compressed);
  else
    samples->features = std::move(dense);
  samples->targets = std::move(targets);
  samples->class_count = classes;
  return samples;
}

inline std::vector<Index> indices(Index count) {
  std::vector<Index> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

/// Returns a random point whose entries are exact in float.
template <class Scalar>
Vector<Scalar> random_point(Index dimension, std::uint64_t seed, double size = 0.5) {
  RandomStream stream(seed, 0, 0, Purpose::initial_model);
  Vector<Scalar> x(dimension);
  for (Scalar& value : x) value = static_cast<Scalar>(static_cast<float>(size * stream.normal()));
  return x;
}

/// A model over samples, by its spelling.
template <class Scalar>
struct ModelCase {
  std::string name;
  std::uint32_t classes;  ///< of the data for the test
  std::function<std::unique_ptr<const SampleObjective<Scalar>>(Shard<Scalar>, double weight, double l2)> make;
};

/// Returns every example of every registered model that is built on samples.
template <class Scalar>
std::vector<ModelCase<Scalar>> model_cases() {
  std::vector<ModelCase<Scalar>> cases;
  for (const ModelInfo& info : models())
    for (const std::string& example : info.examples)
      if (const auto* model = std::get_if<SampleModel>(&info.make))
        cases.push_back(
            {example,
             model->targets == Targets::numbers       ? 0u
             : model->targets == Targets::two_classes ? 2u
                                                      : 5u,
             [model, shape = parse_model(example).shape](Shard<Scalar> shard, double weight, double l2) {
               return model->make<Scalar>(shape, std::move(shard), weight, l2);
             }});
  return cases;
}

/// Returns the gradient of f at x by central differences.
inline Vector<double> finite_differences(const Objective<double>& f, Vector<double> x) {
  constexpr double step = 1e-5;
  Vector<double> result(x.size());
  for (Index k = 0; k < x.size(); ++k) {
    const double at = x[k];
    x[k] = at + step;
    const double above = f.loss(x);
    x[k] = at - step;
    result[k] = (above - f.loss(x)) / (2.0 * step);
    x[k] = at;
  }
  return result;
}

template <class Scalar>
double relative_distance(const Vector<Scalar>& a, const Vector<double>& b) {
  return (a.template cast<double>() - b).norm() / (1e-12 + b.norm());
}

}  // namespace hearsay::test
