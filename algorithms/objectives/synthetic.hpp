#pragma once

#include <cstdint>

#include "algorithms/objectives/samples.hpp"

namespace hearsay {

/// Shape of the built-in classification data.
struct SyntheticShape {
  Index samples = 8192;
  Index features = 500;
  std::uint32_t classes = 100;
};

/// Training samples, and test samples of the same distribution, an eighth as many.
template <class Scalar>
struct SyntheticData {
  Samples<Scalar> train;
  Samples<Scalar> test;
};

/// Returns a Gaussian mixture with noisy labels. Sample s belongs to class s mod classes and lies at
///
///     a_s = mu_class + e_s,     mu_k ~ N(0, spread^2 I),  e_s ~ N(0, I),
///
/// with `spread` such that two centers are 12 noise deviations apart (root mean square). Then one label in
/// ten is replaced by a uniformly random one. Without the replaced labels the classes are separable. So a
/// linear model learns steadily, and neither its loss nor its error goes to zero. The data depend on the seed
/// and the shape only. They are drawn in double, so both scalars see the same data up to rounding.
template <class Scalar>
SyntheticData<Scalar> synthetic_classification(const SyntheticShape& shape, std::uint64_t seed);

}  // namespace hearsay
