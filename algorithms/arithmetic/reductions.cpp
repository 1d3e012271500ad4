#include "algorithms/arithmetic/reductions.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "algorithms/arithmetic/finite_kernel.hpp"
#include "algorithms/arithmetic/lane_tree.hpp"
#include "algorithms/arithmetic/squared_norm_kernel.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// sum_{i<n} term(i) in 16 lanes. The inner loop has a constant count, so that the compiler can keep the
/// lanes in vector registers without reordering a single addition.
template <class Term>
double sum_in_lanes(std::size_t n, Term term) {
  std::array<double, lane_count> lanes{};
  std::size_t i = 0;
  for (; i + lane_count <= n; i += lane_count)
    for (std::size_t lane = 0; lane < lane_count; ++lane) lanes[lane] += term(i + lane);
  for (std::size_t lane = 0; i < n; ++i, ++lane) lanes[lane] += term(i);
  return folded(lanes);
}

}  // namespace

template <class Scalar>
double squared_norm(std::span<const Scalar> x) {
  return squared_norm_in_vectors(x);
}

template <class Scalar>
double dot(std::span<const Scalar> a, std::span<const Scalar> b) {
  ensure(a.size() == b.size(), "the vectors of an inner product have one size");
  const Scalar* left = a.data();
  const Scalar* right = b.data();
  return sum_in_lanes(
      a.size(), [=](std::size_t i) { return static_cast<double>(left[i]) * static_cast<double>(right[i]); });
}

template <class Scalar>
double squared_distance(std::span<const Scalar> a, std::span<const Scalar> b) {
  ensure(a.size() == b.size(), "vectors whose distance is taken have one size");
  const Scalar* left = a.data();
  const Scalar* right = b.data();
  return sum_in_lanes(a.size(), [=](std::size_t i) {
    const double difference = static_cast<double>(left[i]) - static_cast<double>(right[i]);
    return difference * difference;
  });
}

template <class Scalar>
double weighted_squared_distance(std::span<const Scalar> weights, std::span<const Scalar> a,
                                 std::span<const Scalar> b) {
  ensure(a.size() == b.size() && a.size() == weights.size(),
         "vectors whose weighted distance is taken have one size");
  const Scalar* weight = weights.data();
  const Scalar* left = a.data();
  const Scalar* right = b.data();
  return sum_in_lanes(a.size(), [=](std::size_t i) {
    const double difference = static_cast<double>(left[i]) - static_cast<double>(right[i]);
    return static_cast<double>(weight[i]) * difference * difference;
  });
}

template <class Scalar>
double squared_deviation(std::span<const Scalar> x, double center) {
  const Scalar* data = x.data();
  return sum_in_lanes(x.size(), [=](std::size_t i) {
    const double difference = static_cast<double>(data[i]) - center;
    return difference * difference;
  });
}

template <class Scalar>
double norm_1(std::span<const Scalar> x) {
  const Scalar* data = x.data();
  return sum_in_lanes(x.size(), [data](std::size_t i) { return std::abs(static_cast<double>(data[i])); });
}

template <class Scalar>
double sum(std::span<const Scalar> x) {
  const Scalar* data = x.data();
  return sum_in_lanes(x.size(), [data](std::size_t i) { return static_cast<double>(data[i]); });
}

template <class Scalar>
bool all_finite(std::span<const Scalar> x) {
  return all_finite<Scalar>(std::as_bytes(x));
}

template <class Scalar>
bool all_finite(std::span<const std::byte> bytes) {
  return sizeof(Scalar) == 4 ? all_finite_4(bytes) : all_finite_8(bytes);
}

#define HEARSAY_INSTANTIATE(Scalar)                                                                   \
  template double squared_norm<Scalar>(std::span<const Scalar>);                                      \
  template double dot<Scalar>(std::span<const Scalar>, std::span<const Scalar>);                      \
  template double squared_distance<Scalar>(std::span<const Scalar>, std::span<const Scalar>);         \
  template double weighted_squared_distance<Scalar>(std::span<const Scalar>, std::span<const Scalar>, \
                                                    std::span<const Scalar>);                         \
  template double squared_deviation<Scalar>(std::span<const Scalar>, double);                         \
  template double norm_1<Scalar>(std::span<const Scalar>);                                            \
  template double sum<Scalar>(std::span<const Scalar>);                                               \
  template bool all_finite<Scalar>(std::span<const Scalar>);                                          \
  template bool all_finite<Scalar>(std::span<const std::byte>);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay
