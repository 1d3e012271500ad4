#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/objectives/home.hpp"
#include "algorithms/objectives/problem.hpp"
#include "algorithms/objectives/sample_objective.hpp"

namespace hearsay {

/// The largest d: selectors, random bits and messages number coordinates with 32 bits, and the blocks of a
/// transform may need twice as many numbers.
inline constexpr Index largest_dimension = 2'000'000'000;

/// The parsed arguments of model.kind.
struct ModelShape {
  std::vector<Index> sizes =
      {};              ///< the dimension of a quadratic, or the sizes of the hidden layers of an mlp
  bool dense = false;  ///< a quadratic with a full matrix
};

/// The kind of targets that a model needs.
enum class Targets { numbers, two_classes, classes };

/// The images that a model takes: square, channel by channel, in a channel line by line.
struct ImageShape {
  Index channels;
  Index side;  ///< pixels
  Index features() const { return channels * side * side; }
};

/// A model that is a sum over labelled samples.
struct SampleModel {
  template <class Scalar>
  using Made = std::unique_ptr<const SampleObjective<Scalar>>;

  Targets targets;
  /// Returns d for data with so many features and classes, before memory is allocated. d may exceed an Index.
  double (*dimension)(const ModelShape& shape, double features, double classes);
  Made<float> (*in_float)(const ModelShape&, Shard<float>, double weight, double l2);
  Made<double> (*in_double)(const ModelShape&, Shard<double>, double weight, double l2);
  /// The images of which a sample must be one. Empty: a sample has any number of features.
  std::span<const ImageShape> images = {};

  template <class Scalar>
  Made<Scalar> make(const ModelShape& shape, Shard<Scalar> shard, double weight, double l2) const {
    if constexpr (std::is_same_v<Scalar, float>)
      return in_float(shape, std::move(shard), weight, l2);
    else
      return in_double(shape, std::move(shard), weight, l2);
  }
};

/// When the objectives of a SeededModel are drawn.
enum class Drawn {
  at_once,  ///< all of them; the minimiser is computed
  later,    ///< each by the process that trains with it (DrawnObjective)
};

/// A model that needs no data: it makes the objectives of all peers, the start and the minimiser from a seed.
struct SeededModel {
  Problem<float> (*in_float)(const ModelShape&, std::size_t peers, double l2, std::uint64_t seed, Drawn,
                             const EachPeer&);
  Problem<double> (*in_double)(const ModelShape&, std::size_t peers, double l2, std::uint64_t seed, Drawn,
                               const EachPeer&);
  /// Returns d.
  double (*dimension)(const ModelShape& shape);
  /// Returns the memory of the objectives of all peers while they are made, in bytes.
  double (*memory)(const ModelShape& shape, double peers, double bytes_of_scalar);

  template <class Scalar>
  Problem<Scalar> make(const ModelShape& shape, std::size_t peers, double l2, std::uint64_t seed,
                       Drawn drawn = Drawn::at_once, const EachPeer& each_peer = one_by_one) const {
    if constexpr (std::is_same_v<Scalar, float>)
      return in_float(shape, peers, l2, seed, drawn, each_peer);
    else
      return in_double(shape, peers, l2, seed, drawn, each_peer);
  }
};

/// A model that a program of the user computes. It brings its own data; runtime/program starts it.
struct ProgramModel {};

/// A model of which only the number of parameters is known. It has no loss; the simulator tells how long its
/// runs take.
struct SizeModel {};

/// A model as the user sees it: its spelling in model.kind, its description, its maker. The registry holds
/// one per model.
struct ModelInfo {
  std::string name;            ///< "mlp"
  std::string arguments = {};  ///< "(hidden, ...)"; empty if there are none
  std::string description;     ///< one line
  std::string parameters;      ///< d, in words: "features"
  bool has_intercept = true;
  std::vector<std::string> examples;  ///< spellings on which the laws are tested
  /// Returns the parsed arguments of `text`, the whole of model.kind. Throws Misuse (key model.kind). Null if
  /// the model has no arguments.
  ModelShape (*read)(const std::string& text, std::vector<std::string> arguments) = nullptr;
  std::variant<SampleModel, SeededModel, ProgramModel, SizeModel> make;
};

/// Returns the arguments as sizes from 1 to `largest_dimension`. Throws Misuse (key model.kind) for any other
/// argument.
std::vector<Index> model_sizes(const std::string& text, const std::vector<std::string>& arguments);

/// Returns the SampleModel of the class `Model`. The class is constructed from (shard, sizes, weight, l2), or
/// from (shard, weight, l2) if it takes no sizes.
template <template <class> class Model>
SampleModel sample_model(Targets targets, double (*dimension)(const ModelShape&, double, double),
                         std::span<const ImageShape> images = {}) {
  const auto make = []<class Scalar>(const ModelShape& shape, Shard<Scalar> shard, double weight, double l2) {
    if constexpr (std::is_constructible_v<Model<Scalar>, Shard<Scalar>, std::vector<Index>, double, double>)
      return SampleModel::Made<Scalar>(
          std::make_unique<Model<Scalar>>(std::move(shard), shape.sizes, weight, l2));
    else
      return SampleModel::Made<Scalar>(std::make_unique<Model<Scalar>>(std::move(shard), weight, l2));
  };
  return {.targets = targets, .dimension = dimension, .in_float = make, .in_double = make, .images = images};
}

}  // namespace hearsay
