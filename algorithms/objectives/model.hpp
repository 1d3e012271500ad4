#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "algorithms/objectives/sample_objective.hpp"

namespace hearsay {

/// A message fits into a frame, whose payload length is 32 bits, at up to 10 bytes a coordinate: full
/// precision, also beside the meters that go to the observer, and the longest variable-length code.
inline constexpr Index largest_dimension = 0xffff'ffff / 10;

/// What the arguments of model.kind say.
struct ModelShape {
  std::vector<Index> sizes = {};  ///< the dimension of a quadratic, the hidden layers of an mlp
  bool dense = false;             ///< a quadratic with a full matrix
};

/// What the targets of the data need to be.
enum class Targets { numbers, two_classes, classes };

/// A model that is a sum over labelled samples.
struct SampleModel {
  template <class Scalar>
  using Made = std::unique_ptr<const SampleObjective<Scalar>>;

  Targets targets;
  /// d on data with so many features and classes; known before anything takes memory, and maybe beyond an
  /// Index.
  double (*dimension)(const ModelShape& shape, double features, double classes);
  Made<float> (*in_float)(const ModelShape&, Shard<float>, double weight, double l2);
  Made<double> (*in_double)(const ModelShape&, Shard<double>, double weight, double l2);

  template <class Scalar>
  Made<Scalar> make(const ModelShape& shape, Shard<Scalar> shard, double weight, double l2) const {
    if constexpr (std::is_same_v<Scalar, float>)
      return in_float(shape, std::move(shard), weight, l2);
    else
      return in_double(shape, std::move(shard), weight, l2);
  }
};

/// A model that needs no data: it makes the objectives of all peers, the start and the minimiser by itself.
struct SeededModel {
  Problem<float> (*in_float)(const ModelShape&, std::size_t peers, double l2, std::uint64_t seed);
  Problem<double> (*in_double)(const ModelShape&, std::size_t peers, double l2, std::uint64_t seed);

  template <class Scalar>
  Problem<Scalar> make(const ModelShape& shape, std::size_t peers, double l2, std::uint64_t seed) const {
    if constexpr (std::is_same_v<Scalar, float>)
      return in_float(shape, peers, l2, seed);
    else
      return in_double(shape, peers, l2, seed);
  }
};

/// A model as the user sees it: how model.kind spells it, what it is, how it is made. The registry holds one
/// for each.
struct ModelInfo {
  std::string name;            ///< "mlp"
  std::string arguments = {};  ///< "(hidden, ...)"; empty if there are none
  std::string description;     ///< one line
  std::string parameters;      ///< d, in words: "features"
  bool has_intercept = true;
  std::vector<std::string> examples;  ///< spellings of it, which the laws are tried on
  /// Reads the arguments of `text`, the whole of model.kind, or throws a Misuse; null if there are none to
  /// read.
  ModelShape (*read)(const std::string& text, std::vector<std::string> arguments) = nullptr;
  std::variant<SampleModel, SeededModel> make;
};

/// The arguments as sizes, from 1 to `largest_dimension` each; a Misuse that names model.kind for any other.
std::vector<Index> model_sizes(const std::string& text, const std::vector<std::string>& arguments);

/// The SampleModel of a class, in float and in double. The class is built from a shard, the sizes of the
/// shape if it takes any, the weight and l2.
template <template <class> class Model>
SampleModel sample_model(Targets targets, double (*dimension)(const ModelShape&, double, double)) {
  const auto make = []<class Scalar>(const ModelShape& shape, Shard<Scalar> shard, double weight, double l2) {
    if constexpr (std::is_constructible_v<Model<Scalar>, Shard<Scalar>, std::vector<Index>, double, double>)
      return SampleModel::Made<Scalar>(
          std::make_unique<Model<Scalar>>(std::move(shard), shape.sizes, weight, l2));
    else
      return SampleModel::Made<Scalar>(std::make_unique<Model<Scalar>>(std::move(shard), weight, l2));
  };
  return {.targets = targets, .dimension = dimension, .in_float = make, .in_double = make};
}

}  // namespace hearsay
