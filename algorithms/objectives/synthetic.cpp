#include "algorithms/objectives/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr double center_distance = 12.0;  ///< root mean square distance of two classes, in noise deviations
constexpr std::uint64_t label_noise_inverse = 10;

enum Part : std::uint64_t {
  centers = 0,
  train = 1,
  test = 2
};  ///< the stream from which a part of the data is drawn

template <class Scalar>
Samples<Scalar> draw(const SyntheticShape& shape, Index count, const DenseRows<Scalar>& class_centers,
                     std::uint64_t seed, Part part) {
  RandomStream stream(seed, 0, part, Purpose::data);
  DenseRows<Scalar> features(count, shape.features);
  std::vector<Scalar> labels(static_cast<std::size_t>(count));
  for (Index s = 0; s < count; ++s) {
    const auto own = static_cast<std::uint32_t>(s) % shape.classes;
    for (Index k = 0; k < shape.features; ++k)
      features(s, k) = class_centers(own, k) + static_cast<Scalar>(stream.normal());
    const bool noisy = stream.below(label_noise_inverse) == 0;
    labels[static_cast<std::size_t>(s)] = static_cast<Scalar>(noisy ? stream.below(shape.classes) : own);
  }
  return {std::move(features), std::move(labels), shape.classes};
}

}  // namespace

template <class Scalar>
SyntheticData<Scalar> synthetic_classification(const SyntheticShape& shape, std::uint64_t seed) {
  ensure(shape.samples >= 1 && shape.features >= 1 && shape.classes >= 2,
         "synthetic data has samples, features and at least two classes");
  // E ||mu_j - mu_k||^2 = 2 features spread^2
  const double spread = center_distance / std::sqrt(2.0 * static_cast<double>(shape.features));
  RandomStream stream(seed, 0, Part::centers, Purpose::data);
  DenseRows<Scalar> class_centers(shape.classes, shape.features);
  for (Index k = 0; k < class_centers.size(); ++k)
    class_centers.data()[k] = static_cast<Scalar>(spread * stream.normal());
  return {draw(shape, shape.samples, class_centers, seed, Part::train),
          draw(shape, std::max<Index>(1, shape.samples / 8), class_centers, seed, Part::test)};
}

template SyntheticData<float> synthetic_classification<float>(const SyntheticShape&, std::uint64_t);
template SyntheticData<double> synthetic_classification<double>(const SyntheticShape&, std::uint64_t);

}  // namespace hearsay
