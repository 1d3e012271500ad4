#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
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
  std::uint32_t classes;                ///< of the data for the test
  std::optional<Index> image_features;  ///< of the smallest image that it takes, if it is of images
  std::function<std::unique_ptr<const SampleObjective<Scalar>>(Shard<Scalar>, double weight, double l2)> make;

  /// Returns `few`, or what the model takes instead.
  Index features(Index few) const { return image_features.value_or(few); }
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
             model->images.empty() ? std::nullopt : std::optional(model->images.front().features()),
             [model, shape = parse_model(example).shape](Shard<Scalar> shard, double weight, double l2) {
               return model->make<Scalar>(shape, std::move(shard), weight, l2);
             }});
  return cases;
}

/// Returns a point at which the outputs of f are of order 1: near its start, but no bias is 0.
template <class Scalar>
Vector<Scalar> lively_point(const SampleObjective<Scalar>& f, std::uint64_t seed) {
  const bool is_large = f.dimension() > 1000;
  return f.initial(seed) + random_point<Scalar>(f.dimension(), seed + 1, is_large ? 0.05 : 0.5);
}

/// Returns the coordinates at which a gradient is compared with differences: all of a small model, 16 of each
/// segment of a large one.
template <class Scalar>
std::vector<Index> probed_coordinates(const Objective<Scalar>& f) {
  if (f.dimension() <= 1000) return indices(f.dimension());
  std::vector<Index> probed;
  for (const Segment& segment : f.segments())
    for (Index k = 0; k < 16; ++k) probed.push_back(segment.begin + k * segment.size() / 16);
  probed.erase(std::unique(probed.begin(), probed.end()), probed.end());
  return probed;
}

/// Returns the probed coordinates of the gradient of f at x by central differences.
inline Vector<double> finite_differences(const Objective<double>& f, Vector<double> x,
                                         const std::vector<Index>& probed) {
  constexpr double step = 1e-5;
  Vector<double> result = Vector<double>::Zero(static_cast<Index>(probed.size()));
  for (Index p = 0; p < result.size(); ++p) {
    const Index k = probed[static_cast<std::size_t>(p)];
    const double at = x[k];
    x[k] = at + step;
    const double above = f.loss(x);
    x[k] = at - step;
    result[p] = (above - f.loss(x)) / (2.0 * step);
    x[k] = at;
  }
  return result;
}

template <class Scalar>
double relative_distance(const Vector<Scalar>& a, const Vector<double>& b) {
  return (a.template cast<double>() - b).norm() / (1e-12 + b.norm());
}

}  // namespace hearsay::test
